import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of this process.
enum ProcessMemory {
    /// The resident memory in bytes; nil if the system isn't Linux.
    static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
