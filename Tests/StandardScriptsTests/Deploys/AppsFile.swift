import Foundation

/// An apps.json that is removed when the test ends.
final class AppsFile: Sendable {
    let path: String

    init(_ json: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "apps-\(UUID().uuidString).json").path
        try Data(json.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the content.
    func write(_ json: String) throws { try Data(json.utf8).write(to: URL(filePath: path)) }
}
