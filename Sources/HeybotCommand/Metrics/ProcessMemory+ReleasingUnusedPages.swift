import FoundationEssentials
import Heybot
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ProcessMemory {
    /// Releases the memory that only the start needed, and from now on releases memory after each burst of work.
    ///
    /// - Parameter libraries: The ``fileMappings`` of the start.
    static func releaseUnusedPages(of libraries: Set<Range<UInt>>, whenIdle robot: Robot) {
        let work = WorkSinceRelease(processorTime)
        robot.onIdle {
            guard work.beginsWaiting(processorTime) else { return }
            Task {
                repeat {
                    try await Task.sleep(for: WorkSinceRelease.interval)
                } while !work.isOver(processorTime)
                releaseUnusedPages(of: libraries)
            }
        }
        // Last, so that little of the code is read again.
        releaseUnusedPages(of: libraries)
    }

    /// The processor time that the process has used; POSIX counts it in microseconds.
    private static var processorTime: Duration { .microseconds(Int(clock())) }

    /// Releases free memory, and the pages of code and constants, most of which aren't needed for long.
    ///
    /// If a released page is needed later, the system reads it from the file of the program or library again. Pages of
    /// files are released on Linux only; other systems do that by themselves.
    ///
    /// - Parameter libraries: The ``fileMappings`` of the start; no others are released. A library that another thread
    ///   is loading would lose what the loader writes into it.
    static func releaseUnusedPages(of libraries: Set<Range<UInt>>) {
        AllocatorTuning.releaseFreeMemory()
        #if os(Linux)
            for range in cleanMappings(in: content(of: "/proc/self/smaps")) where libraries.contains(range) {
                guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound) else { continue }
                madvise(start, range.count, Int32(MADV_DONTNEED))
            }
        #endif
    }

    /// The address ranges of the read-only mappings of files now: of the program, and of the libraries that are loaded.
    static var fileMappings: Set<Range<UInt>> {
        #if os(Linux)
            return Set(mappings(in: content(of: "/proc/self/maps")))
        #else
            return []
        #endif
    }

    /// The address ranges of the read-only mappings of files.
    ///
    /// - Parameter maps: The content of /proc/PID/maps; see proc_pid_maps(5).
    static func mappings(in maps: [UInt8]) -> [Range<UInt>] {
        maps.split(separator: UInt8(ascii: "\n")).compactMap(mapping)
    }

    /// The address range in a line of /proc/PID/maps, if it is a read-only mapping of a file.
    private static func mapping(_ line: ArraySlice<UInt8>) -> Range<UInt>? {
        let words = line.split(separator: UInt8(ascii: " "))
        let isReadOnly =
            words.count > 5 && words[1].first == UInt8(ascii: "r") && !words[1].contains(UInt8(ascii: "w"))
        guard isReadOnly, words[5].first == UInt8(ascii: "/") else { return nil }
        let ends = words[0].split(separator: UInt8(ascii: "-")).compactMap {
            UInt(String(decoding: $0, as: UTF8.self), radix: 16)
        }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }

    private static func content(of path: String) -> [UInt8] {
        guard let file = try? InputFile(path) else { return [] }
        defer { file.close() }
        return Array(file.contents(limit: 1 << 20))
    }

    /// The address ranges of the read-only mappings of files that have no modified pages.
    ///
    /// It works on bytes, and splits only the first line of each mapping: after each burst of work it reads thousands of lines.
    ///
    /// - Parameter maps: The content of /proc/PID/smaps; see proc_pid_smaps(5).
    static func cleanMappings(in maps: [UInt8]) -> [Range<UInt>] {
        var parts: [Range<UInt>] = []
        var part: Range<UInt>?
        let name = Array("Anonymous:".utf8)
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: name) {
                // Modified pages are anonymous.
                let size = line.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") }
                if size.elementsEqual("0 kB".utf8), let part { parts.append(part) }
                part = nil
            } else if let first = line.first, first < UInt8(ascii: "A") || first > UInt8(ascii: "Z") {
                // The lines of a mapping's details begin with a capital letter.
                part = mapping(line)
            }
        }
        return parts
    }
}

/// Notices that a burst of work is over, by the processor time that the process has used.
final class WorkSinceRelease: Sendable {
    /// The time between two checks.
    static let interval: Duration = .milliseconds(250)
    /// Less work isn't a burst, because releasing memory itself takes some milliseconds.
    private static let burst: Duration = .milliseconds(100)
    /// A burst is over if the process has used less time than this between two checks.
    private static let quiet: Duration = .milliseconds(10)

    private struct State {
        /// The processor time when memory was last released.
        var released: Duration
        /// The processor time at the last check, from which the next one calculates the work between the two.
        ///
        /// While nobody waits for the end of a burst, nothing is checked, and it isn't used.
        var lastLook: Duration
        /// Whether a task waits for the end of a burst.
        var isWaiting = false
    }

    private let state: Mutex<State>

    /// - Parameter now: The processor time used until now.
    init(_ now: Duration) { state = Mutex(State(released: now, lastLook: now)) }

    /// Whether there was a burst whose end no task waits for yet; if so, the caller must wait for it.
    func beginsWaiting(_ now: Duration) -> Bool {
        state.withLock { state in
            guard !state.isWaiting, now - state.released >= Self.burst else { return false }
            (state.isWaiting, state.lastLook) = (true, now)
            return true
        }
    }

    /// Whether the burst is over; if so, the caller must release memory.
    func isOver(_ now: Duration) -> Bool {
        state.withLock { state in
            defer { state.lastLook = now }
            guard now - state.lastLook < Self.quiet else { return false }
            (state.isWaiting, state.released) = (false, now)
            return true
        }
    }
}
