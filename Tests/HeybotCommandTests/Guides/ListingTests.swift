import Foundation
import Testing

/// Tests that the listings in README and guides are compiled and tested.
@Suite struct ListingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    @Test(arguments: [
        "README.md", "Sources/Heybot/Heybot.docc/Heybot.md", "Sources/Heybot/Heybot.docc/WritingAScript.md",
        "Sources/Heybot/Heybot.docc/TestingAScript.md", "Sources/Heybot/Heybot.docc/WritingAnAdapter.md",
        "Sources/Heybot/Heybot.docc/TheBrain.md", "Sources/Heybot/Heybot.docc/AskingTheWeb.md",
        "Sources/Heybot/Heybot.docc/Webhooks.md", "Sources/Heybot/Heybot.docc/MovingFromHubot.md",
        "Sources/Heybot/Heybot.docc/TimersAndSchedules.md", "Sources/Heybot/Heybot.docc/SeveralMachines.md"
    ])
    func `every listing is compiled`(_ page: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        let compiled = try ["Scripts", "Tests"].flatMap(Self.sources)
        let listings = text.matches(of: /```swift\n((?s:.*?))```/).map { Self.plain(String($0.1)) }
        #expect(!listings.isEmpty)
        for listing in listings {
            #expect(compiled.contains { $0.contains(listing) }, "not compiled anywhere: \(listing)")
        }
    }

    /// The lines without indentation and blank lines.
    private static func plain(_ code: String) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    private static func sources(in folder: String) throws -> [String] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { plain(try String(contentsOf: $0, encoding: .utf8)) }
    }
}
