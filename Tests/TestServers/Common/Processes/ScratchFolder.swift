import Foundation

/// A temporary folder, deleted when it is deallocated.
public final class ScratchFolder: Sendable {
    /// Its path.
    public let path: String

    /// Creates a folder, writable for everyone if the tests run as root.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "heybot-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        try open(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates a subfolder, and returns its path.
    @discardableResult
    public func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        try open(path(name))
        return path(name)
    }

    /// Creates a file, and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Returns a file's content; empty if it doesn't exist.
    public func read(_ name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    /// Makes it accessible to servers, which don't run as root.
    private func open(_ path: String) throws {
        if getuid() == 0 { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path) }
    }
}
