import Foundation

/// A folder of a test's own, which is gone afterwards.
public final class ScratchFolder: Sendable {
    /// Its path.
    public let path: String

    /// A new one, for everybody to write in if the tests run as root.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "heybot-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        try open(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in it.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in it, and returns its path.
    @discardableResult
    public func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        try open(path(name))
        return path(name)
    }

    /// Makes a file in it, and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// What is in a file in it; nothing if there is none.
    public func read(_ name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    /// If the tests run as root, the servers don't.
    private func open(_ path: String) throws {
        if getuid() == 0 { try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path) }
    }
}
