import FoundationEssentials
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The last crashes of the robot that runs with a data directory.
///
/// They are in a file with one JSON object per line. A signal handler appends to it (``CrashReporter``); the next start
/// reads it.
struct CrashHistory: Sendable {
    /// One crash, as the signal handler wrote it.
    struct CrashReport: Codable, Hashable, Sendable {
        /// The time, in seconds since 1970.
        var time: Int
        /// The process; nil if an earlier version has written it.
        var process: Int?
        var signal: String
        /// The script that ran on the crashed thread, if any.
        var script: String?
        var listener: String?
        var message: String?
        /// The program counter, relative to the program's load address.
        var address: String?
        /// Whether an earlier start has logged it.
        var isLogged: Bool?

        var date: Date { Date(timeIntervalSince1970: Double(time)) }

        var description: String {
            var text = script.map { "in script \($0)" } ?? "outside of any script"
            if let listener { text += ", listener \(listener)" }
            if let message { text += ", on message \(message)" }
            return text + ": \(signal)\(address.map { " at \($0)" } ?? "")"
        }
    }

    /// A script that crashes the robot twice within this many seconds is disabled.
    static let window = 600
    /// The number of crashes to keep.
    private static let maxCrashes = 100
    /// The number of bytes to read of the file.
    private static let maxBytes = 1 << 20

    /// The crashes, oldest first.
    private(set) var crashes: [CrashReport]
    private let path: String

    /// Reads the file, without lines that can't be decoded.
    init(at path: String) {
        self.path = path
        let bytes = (try? InputFile(path)).map { file in
            defer { file.close() }
            return file.contents(limit: Self.maxBytes)
        }
        let decoder = JSONDecoder()
        crashes = (bytes ?? []).split(separator: UInt8(ascii: "\n"))
            .compactMap { try? decoder.decode(CrashReport.self, from: Data($0)) }
    }

    /// The crashes that weren't logged yet.
    var new: [CrashReport] { crashes.filter { $0.isLogged != true } }

    /// The scripts of new crashes that crashed the robot at least twice within ten minutes, with the times.
    var repeated: [String: [Date]] {
        let last = new.reduce(into: [String: Int]()) { last, crash in
            if let script = crash.script { last[script] = max(last[script] ?? .min, crash.time) }
        }
        let all = last.map { script, time in
            (script, crashes.filter { $0.script == script && time - Self.window...time ~= $0.time }.map(\.date))
        }
        return Dictionary(uniqueKeysWithValues: all.filter { $0.1.count > 1 })
    }

    /// Returns the last crash of a process in a script that isn't marked as logged, and marks that process's crashes.
    ///
    /// - Parameter failed: Called if they can't be marked.
    static func take(
        of process: Int, at path: String, failed: (DataFolderError) -> Void
    ) -> CrashReport? {
        guard let lock = Self.lock(path) else { return nil }
        defer { close(lock) }
        var history = CrashHistory(at: path)
        let crash = history.new.last { $0.process == process && $0.script != nil }
        guard let crash else { return nil }
        do throws(DataFolderError) {
            try history.markLogged(of: process)
        } catch {
            failed(error)
        }
        return crash
    }

    /// Opens the file with a lock; nil if there is no file.
    ///
    /// A process that crashes waits until the file is closed.
    private static func lock(_ path: String) -> Int32? {
        while true {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
            // It may have been replaced before it was locked.
            if let opened = FileStatus(of: descriptor),
                FileStatus(path, followsLinks: false)?.identity == opened.identity
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Marks crashes as logged, and keeps the last hundred.
    ///
    /// - Parameter process: The process whose crashes they are; nil for all.
    mutating func markLogged(of process: Int? = nil) throws(DataFolderError) {
        crashes = crashes.suffix(Self.maxCrashes)
        for index in crashes.indices where process == nil || crashes[index].process == process {
            crashes[index].isLogged = true
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let lines = crashes.compactMap { try? encoder.encode($0) }.map { $0 + [UInt8(ascii: "\n")] }
        // Atomically, so that a crash in the meantime finds a complete file.
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .cannotKeep(path, String(cString: strerror(errno))) }
        let bytes = lines.flatMap { $0 }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let isDone = close(descriptor) == 0 && written == bytes.count && rename(draft, path) == 0
        guard isDone else { throw .cannotKeep(path, String(cString: strerror(errno))) }
    }
}
