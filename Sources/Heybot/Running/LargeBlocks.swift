#if canImport(Glibc)
    import Glibc
#endif

/// How the allocator treats large blocks, such as the bodies of requests and answers.
enum LargeBlocks {
    /// Has blocks of 128 kB and more mapped one by one, so that their memory goes back to the system when they are freed.
    ///
    /// By itself, glibc raises that limit up to 32 MB as such blocks are freed, and takes the next ones from its heaps, which
    /// it keeps: after a burst of large bodies a process stays as large as it was at the peak.
    static let areMapped: Void = {
        #if canImport(Glibc)
            // Swift's module of glibc doesn't have malloc.h.
            guard let symbol = dlsym(nil, "mallopt") else { return }
            // The symbol is glibc's own, whose type is `int mallopt(int, int)`.
            let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
            let mmapThreshold: CInt = -3
            _ = mallopt(mmapThreshold, 128 << 10)
        #endif
    }()
}
