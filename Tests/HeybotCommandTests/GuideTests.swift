import Foundation
import StandardScripts
import Testing

@testable import HeybotCommand

/// What the guide to the settings says is what holds.
@Suite struct GuideTests {
    private let guide: String

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Heybot/Heybot.docc/Settings.md")
        guide = try String(contentsOf: page, encoding: .utf8)
    }

    @Test func `its table is the one the command prints`() {
        #expect(
            guide.contains("\n\n" + ShowSettings.table(Setting.all + Setting.settings(of: standardScripts)) + "\n\n"),
            "take it from: bin/heybot settings --markdown")
    }

    @Test func `its example can be read`() throws {
        let example = try #require(guide.firstMatch(of: #/```json5\n((?s:.*?))```/#)).1
        let file = SettingsFile("heybot.json", Array(example.utf8))
        #expect(file.problems == [])
        let settings = try ReadSettings(flags: [:], environment: [:]) { _ in file }.settings
        #expect(settings.name == "Marvin")
        #expect(settings.limits.deadline == .seconds(10))
    }

    @Test func `every key and flag in the table is one of its own`() {
        let table = Setting.all + Setting.settings(of: standardScripts)
        #expect(Set(table.map(\.name)).count == table.count)
        #expect(Set(table.compactMap(\.key)).count == table.compactMap(\.key).count)
        #expect(Set(table.flatMap(\.flags)).count == table.flatMap(\.flags).count)
    }
}
