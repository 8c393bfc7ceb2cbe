import Foundation
import StandardScripts
import Testing

@testable import HeybotCommand

/// Tests that the guide to the settings is correct.
@Suite struct GuideTests {
    private let guide: String

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Heybot/Heybot.docc/Settings.md")
        guide = try String(contentsOf: page, encoding: .utf8)
    }

    @Test func `the guide's tables are those that the command prints`() {
        #expect(
            guide.contains(
                "\n\n" + SettingsCommand.tables(Setting.all + Setting.settings(of: standardScripts)) + "\n\n"),
            "take it from: bin/heybot settings --markdown")
    }

    @Test func `the guide's example is valid`() throws {
        let example = try #require(guide.firstMatch(of: #/```json5\n((?s:.*?))```/#)).1
        let file = SettingsFile("heybot.json", Array(example.utf8))
        #expect(file.problems == [])
        let settings = try ResolvedSettings(flags: [:], environment: [:]) { _ in file }.settings
        #expect(settings.name == "Marvin")
        #expect(settings.limits.deadline == .seconds(10))
    }

    @Test func `every setting named in a text exists`() throws {
        // Variables of a new bot's package and of a worker, and C macros.
        let others: Set = [
            "HEYBOT_SOURCES", "HEYBOT_WORKER", "HEYBOT_RESOLV_NO_DATA", "HEYBOT_RESOLV_NO_NAME",
            "HEYBOT_RESOLV_REFUSED", "HEYBOT_RESOLV_UNUSABLE"
        ]
        // In examples of several networks.
        let networks = [Network(.irc, name: "libera"), Network(.xmpp, name: "work"), Network(.campfire, name: "work")]
        let table =
            Setting.all + Setting.settings(of: standardScripts) + Setting.settings(of: networks, in: Setting.all)
        let known = Set(table.map { "HEYBOT_\($0.name)" }).union(others)
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        var named: Set<String> = []
        for folder in ["Scripts", "Sources"] {
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                for name in code.flatMap({ $0.matches(of: /HEYBOT_[A-Z][A-Z0-9_]*[A-Z0-9](?![A-Z0-9_])/) }) {
                    named.insert(String(name.0))
                    let isPrefix = table.contains { "HEYBOT_\($0.name)".hasPrefix("\(name.0)_") }
                    #expect(known.contains(String(name.0)) || isPrefix, "\(file.lastPathComponent): \(name.0)")
                }
            }
        }
        #expect(named.count > 30 && named.contains("HEYBOT_SEARCH_URL"))
    }

    @Test func `names, keys and options of settings are unique`() {
        let table = Setting.all + Setting.settings(of: standardScripts)
        #expect(Set(table.map(\.name)).count == table.count)
        #expect(Set(table.compactMap(\.key)).count == table.compactMap(\.key).count)
        #expect(Set(table.flatMap(\.flags)).count == table.flatMap(\.flags).count)
    }
}
