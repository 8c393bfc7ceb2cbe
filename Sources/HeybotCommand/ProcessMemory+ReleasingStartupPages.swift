import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ProcessMemory {
    /// Releases the pages of the program's code and constants, most of which only the start needed.
    ///
    /// The system reads pages that are needed later from the program's file again. This is for Linux only; other systems
    /// do it by themselves.
    static func releaseStartupPages() {
        #if os(Linux)
            guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                let file = try? InputFile("/proc/self/smaps")
            else { return }
            defer { file.close() }
            let maps = String(decoding: file.contents(limit: 1 << 20), as: UTF8.self)
            for range in cleanMappings(of: program, in: maps) {
                guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
                madvise(start, range.count, Int32(MADV_DONTNEED))
            }
        #endif
    }

    /// The address ranges of a file's read-only mappings that have no modified pages.
    ///
    /// - Parameter maps: The content of /proc/PID/smaps; see proc_pid_smaps(5).
    static func cleanMappings(of file: String, in maps: String) -> [Range<UInt>] {
        var parts: [Range<UInt>] = []
        var part: Range<UInt>?
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count > 1 else { continue }
            if words[0].hasSuffix(":") {
                // Modified pages are anonymous.
                if words[0] == "Anonymous:" {
                    if words[1] == "0", let part { parts.append(part) }
                    part = nil
                }
                continue
            }
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            let isReadOnly = words[1].hasPrefix("r") && !words[1].contains("w")
            let isOfFile = words.dropFirst(5).joined(separator: " ") == file
            part = ends.count == 2 && ends[0] < ends[1] && isReadOnly && isOfFile ? ends[0]..<ends[1] : nil
        }
        return parts
    }
}
