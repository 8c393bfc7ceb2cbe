#if canImport(Glibc)
    import Glibc
#endif

/// Settings and functions of the C library's allocator.
package enum AllocatorTuning {
    /// Makes the allocator map each block of 128 kB or more separately, so that freeing it returns the memory to the system.
    ///
    /// By default, glibc raises this threshold up to 32 MB as such blocks are freed, and then allocates them from its heaps,
    /// which it keeps: after a burst of large HTTP bodies the process would stay as large as at the peak.
    static let mapLargeBlocks: Void = {
        #if canImport(Glibc)
            // Swift's module of glibc doesn't have malloc.h.
            guard let symbol = dlsym(nil, "mallopt") else { return }
            // The symbol is glibc's own, whose type is `int mallopt(int, int)`.
            let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
            let mmapThreshold: CInt = -3
            _ = mallopt(mmapThreshold, 128 << 10)
        #endif
    }()

    /// Returns free memory to the system, as far as whole pages are free.
    package static func releaseFreeMemory() {
        #if canImport(Glibc)
            guard let symbol = dlsym(nil, "malloc_trim") else { return }
            // The symbol is glibc's own, whose type is `int malloc_trim(size_t)`.
            let mallocTrim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)
            _ = mallocTrim(0)
        #endif
    }
}
