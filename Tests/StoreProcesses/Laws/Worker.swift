import Foundation

/// A running `brain-worker`.
public final class Worker {
    private let process = Process()
    private let out = Pipe()
    private let err = Pipe()
    public private(set) var output = ""
    public private(set) var errors = ""

    public init(_ arguments: String..., as user: UInt32? = nil) throws {
        let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "brain-worker")
        guard let program else { throw CocoaError(.fileNoSuchFile) }
        if let user {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["setpriv", "--reuid=\(user)", "--clear-groups", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.standardOutput = out
        process.standardError = err
        try process.run()
    }

    /// Waits for the first line of its output.
    public func waitForOutput() {
        output += String(decoding: out.fileHandleForReading.availableData, as: UTF8.self)
    }

    public func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        end()
    }

    /// Waits for its end; its exit status.
    @discardableResult
    public func end() -> Int32 {
        output += String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        errors += String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus
    }
}
