import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import HeybotCommand

/// The brain of Hubot scripts.
@Suite struct StoredHubotBrainTests {
    private func members(_ entries: [(String, String)]) async throws -> [String: StoredHubotBrain.Node] {
        let store = try await memoryStore(entries.map { HubotEntry("hubot", $0, $1) })
        return try await StoredHubotBrain(from: store).members
    }

    private func value(_ text: String) -> StoredHubotBrain.Node { .value(Array(text.utf8)) }

    @Test func `entries are put together by their paths`() async throws {
        let found = try await members([
            (#"["karma","tea"]"#, "1"), (#"["karma","a\"b"]"#, "2"), (#"["list"]"#, "[1]"), ("no path", "3"),
            ("[]", "4")
        ])
        #expect(found == ["karma": .object(["tea": value("1"), "a\"b": value("2")]), "list": value("[1]")])
    }

    @Test func `an object is completed, and another value hides what is below it`() async throws {
        let found = try await members([
            (#"["a","c"]"#, "3"), (#"["a"]"#, #"{"b": 1, "c": 2}"#), (#"["l"]"#, "[1]"), (#"["l","x"]"#, "1")
        ])
        #expect(found == ["a": .object(["b": value("1"), "c": value("3")]), "l": value("[1]")])
    }

    @Test func `keys are paths as JavaScript writes them`() {
        #expect(StoredHubotBrain.key(["karma", "a\"b/é"]) == #"["karma","a\"b/é"]"#)
        #expect(StoredHubotBrain.path(#"["karma","a\"b/é"]"#) == ["karma", "a\"b/é"])
        #expect(StoredHubotBrain.path("karma") == nil)
    }

    @Test func `entries of a Hubot's text get the paths of Hubot's data`() {
        for (key, expected) in [
            (StoreKey(collection: "users", name: "1"), #"["users","1"]"#),
            (StoreKey(name: "motto"), #"["_private","motto"]"#),
            (StoreKey(collection: "scores", name: "ada"), #"["_private","scores","ada"]"#),
            (StoreKey(name: "data.list"), #"["list"]"#),
            (StoreKey(collection: "data.karma", name: "tea"), #"["karma","tea"]"#)
        ] {
            #expect(HubotScriptBrainImport.scriptKey(for: key) == StoreKey(collection: "hubot", name: expected))
        }
    }

    @Test func `the export has the scripts' data in place of other entries of the same names`() async throws {
        let store = try await memoryStore([
            HubotEntry("hubot", #"["users","1"]"#, #"{"id":"1"}"#),
            HubotEntry("hubot", #"["_private","motto"]"#, #""new""#),
            HubotEntry("hubot", #"["karma","tea"]"#, "2"), HubotEntry("hubot.datastore", #"["global","x"]"#, "1"),
            HubotEntry("hubot.import", #""done""#), HubotEntry("users", "1", "0"), HubotEntry("users", "2", "5"),
            HubotEntry("motto", #""old""#), HubotEntry("other", "6"), HubotEntry("data.karma", "tea", "0"),
            HubotEntry("data.more", "7")
        ])
        let text = String(decoding: try await exportHubotBrain(store), as: UTF8.self)
        #expect(
            text == #"{"users":{"1":{"id":"1"},"2":5},"_private":{"motto":"new","other":6},"karma":{"tea":2},"more":7}"#
        )
    }
}
