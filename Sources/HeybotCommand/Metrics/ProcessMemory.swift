import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much memory this process holds.
enum ProcessMemory {
    /// In bytes; nil if the system doesn't tell as Linux does.
    static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ProcessMemory {
    /// Gives back the memory that only the start needed: the program's code and constants that nobody uses any more.
    ///
    /// The system reads from the program's file again what is needed later, a few pages at a time. It is done on Linux
    /// only; other systems do it by themselves.
    static func giveBackStart() {
        #if os(Linux)
            guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
                let maps = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
            else { return }
            for range in unchangedParts(of: program, in: maps) {
                guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
                madvise(start, range.count, Int32(MADV_DONTNEED))
            }
        #endif
    }

    /// Where a file is in memory that is as it is in the file: what can't be written to, and never was.
    ///
    /// - Parameter maps: What Linux tells of a process' memory in /proc/PID/smaps.
    static func unchangedParts(of file: String, in maps: String) -> [Range<UInt>] {
        var parts: [Range<UInt>] = []
        var part: Range<UInt>?
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count > 1 else { continue }
            if words[0].hasSuffix(":") {
                // Pages of it that were written to are copies that belong to no file.
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
