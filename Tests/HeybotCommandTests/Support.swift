import Foundation
import Synchronization
import Testing

/// A run of `heybot` as a process.
final class CommandRun {
    private let process = Process()
    private let input: Pipe
    private let out: Pipe
    private let err: Pipe
    /// Held while pipes and the process are created: another process would inherit their ends, and keep them open.
    private static let starting = Mutex(())
    /// The time after which the process is killed, in seconds.
    private static let limit: TimeInterval = 600

    private(set) var output = ""
    private(set) var errors = ""
    private(set) var status: Int32 = -1
    /// The signal that ended the process, or nil.
    private(set) var signal: Int32?

    /// The program, built beside the tests.
    static let program = beside("heybot")
    /// The program with scripts that crash it: Tests/CrashingRobot.
    static let crashing = beside("crashing-robot")

    private static func beside(_ name: String) -> URL? {
        Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name)
    }

    /// Runs the command until it exits.
    convenience init(
        _ input: String = "", arguments: [String] = [], in folder: URL, environment: [String: String] = [:],
        at place: URL? = nil, program: URL? = program
    ) throws {
        try self.init(arguments, folder, environment, place, program)
        try type(input)
        end()
    }

    /// Says each line when the one before is answered, and runs the command until it exits.
    ///
    /// A line that waits for the brain or for another process longer than a second is overtaken by the next one.
    convenience init(
        conversation lines: [String], arguments: [String] = [], in folder: URL, environment: [String: String] = [:],
        at place: URL? = nil, program: URL? = program
    ) throws {
        try self.init(arguments, folder, environment, place, program)
        for line in lines {
            try type(line + "\n")
            output += read()
        }
        end()
    }

    /// Starts the command; call ``end()`` afterwards.
    ///
    /// - Parameter isUnread: Whether nobody reads its output: the pipe is closed from the beginning.
    static func start(
        _ arguments: [String] = [], in folder: URL, environment: [String: String] = [:],
        program: URL? = program, isUnread: Bool = false
    ) throws -> CommandRun {
        try CommandRun(arguments, folder, environment, nil, program, isUnread: isUnread)
    }

    private init(
        _ arguments: [String], _ folder: URL, _ environment: [String: String], _ place: URL?,
        _ program: URL? = program, isUnread: Bool = false
    ) throws {
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = place
        process.environment = ["HEYBOT_DATA": folder.path, "HOME": "/dev/null/nowhere"].merging(environment) { $1 }
        (input, out, err) = try Self.starting.withLock { [process] _ in
            let pipes = (Self.pipe(), Self.pipe(), Self.pipe())
            process.standardInput = pipes.0
            process.standardOutput = pipes.1
            process.standardError = pipes.2
            if isUnread { try pipes.1.fileHandleForReading.close() }
            try process.run()
            return pipes
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [weak process] in
            if let process, process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        }
    }

    /// Returns a pipe that child processes don't inherit.
    private static func pipe() -> Pipe {
        let pipe = Pipe()
        for file in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }

    /// Makes the pipe of its standard output as small as the system allows: one page.
    func shrinkOutput() {
        // F_SETPIPE_SZ, which Swift's Glibc doesn't declare.
        _ = fcntl(out.fileHandleForReading.fileDescriptor, 1031, 1)
    }

    /// Whether the pipe of its standard output is full.
    var isOutputFull: Bool {
        let end = open("/proc/self/fd/\(out.fileHandleForReading.fileDescriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard end >= 0 else { return false }
        defer { close(end) }
        var place = pollfd(fd: end, events: Int16(POLLOUT), revents: 0)
        return poll(&place, 1, 0) == 0
    }

    var isRunning: Bool { process.isRunning }
    var id: Int32 { process.processIdentifier }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Waits for output up to the end of a line.
    func read() -> String {
        var data = Data()
        repeat {
            let more = out.fileHandleForReading.availableData
            if more.isEmpty { break }
            data += more
        } while data.last != UInt8(ascii: "\n")
        return String(decoding: data, as: UTF8.self)
    }

    /// Waits until standard error contains the text, or the process has ended.
    func waitForError(_ text: String) {
        while !errors.contains(text) {
            let data = err.fileHandleForReading.availableData
            if data.isEmpty { return }
            errors += String(decoding: data, as: UTF8.self)
        }
    }

    func closeOutput() { try? out.fileHandleForReading.close() }

    func kill(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    @discardableResult
    func end() -> CommandRun {
        if process.isRunning { try? input.fileHandleForWriting.close() }
        output += String(decoding: (try? out.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        errors += String(decoding: (try? err.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        signal = process.terminationReason == .uncaughtSignal ? status : nil
        return self
    }
}

/// A directory that is removed after the test.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    @discardableResult
    func write(_ text: String, to name: String) throws -> URL {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file
    }
}

/// Copies a program, so that the copy can be run at once.
///
/// Another process writes the copy: a child process that another test starts meanwhile would inherit this process's open file for
/// a moment, and the system runs no program that is open for writing.
func copyProgram(_ program: URL, to copy: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/cp")
    process.arguments = [program.path, copy.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
}

/// Runs the command as an unprivileged user if the tests run as root, as the current user otherwise.
struct UnprivilegedUser {
    private let program: URL
    private let isRoot = getuid() == 0
    private static let nobody: uid_t = 65_534

    var id: uid_t { isRoot ? Self.nobody : getuid() }

    /// Returns nil if the system has no `setpriv`.
    init?(_ folder: TemporaryFolder) throws {
        guard !isRoot || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else { return nil }
        // A copy, since the user may have no access to the build directory.
        program = folder.url.appending(path: "heybot")
        guard let original = CommandRun.program else { return nil }
        try copyProgram(original, to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    }

    func run(_ arguments: [String]) throws -> (errors: String, status: Int32) {
        let process = Process()
        let drop = ["/usr/bin/setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
        let words = (isRoot ? drop : []) + [program.path] + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ["HOME": "/dev/null/nowhere"]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (said, process.terminationStatus)
    }
}
