import Foundation
import Testing

/// Tests that libraries don't mention settings, which only the command line has.
@Suite struct SettingNamesTests {
    @Test func `only the command's module names settings`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources").standardized
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        let sources = (files?.allObjects as? [URL] ?? []).filter { ["swift", "c", "h"].contains($0.pathExtension) }
        #expect(sources.count > 400)
        for file in sources where !file.path.contains("/HeybotCommand/") {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("HEYBOT_") && !text.contains("HUBOT_"), "\(file.lastPathComponent)")
        }
    }
}
