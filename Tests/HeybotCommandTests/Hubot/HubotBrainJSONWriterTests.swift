import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import HeybotCommand

/// Tests of exporting a store as the JSON of a Hubot brain.
@Suite struct HubotBrainJSONWriterTests {
    private func export(_ entries: [HubotEntry]) async throws -> String {
        String(decoding: try await exportHubotBrain(memoryStore(entries)), as: UTF8.self)
    }

    @Test func `an empty store is an empty brain`() async throws {
        #expect(try await export([]) == #"{"users":{},"_private":{}}"#)
    }

    @Test func `entries are written in Hubot's structure, to the byte`() async throws {
        let text = try await export([
            HubotEntry("users", "1", "{\"id\" :\n\"1\"}"), HubotEntry("users", "2", "3"),
            HubotEntry("motto", #""B\u0065 kind""#), HubotEntry("scores", "swift", "2"),
            HubotEntry("scores", "c", "-0.0"),
            HubotEntry("data.n", "[ ]"), HubotEntry("data.karma", "ada", "1"), HubotEntry("_private.users", "x", "4"),
            HubotEntry("_private.data.k", "5"), HubotEntry("nothing", "{ }")
        ])
        #expect(
            text == """
                {"users":{"1":{"id" :
                "1"},"2":3},"_private":{"data.k":5,"motto":"B\\u0065 kind","nothing":{ },"users":{"x":4},\
                "scores":{"c":-0.0,"swift":2}},"n":[ ],"karma":{"ada":1}}
                """)
    }

    @Test func `names are escaped`() async throws {
        let names = ["", "\"", "\\", "\0", "\n\t\u{1f}", "é", "e\u{301}", "👍", "\u{7f}\u{2028}", "/"]
        let store = try await memoryStore(
            names.map { HubotEntry("own \($0)", "1") } + names.map { HubotEntry($0, $0, "2") })
        let text = try await exportHubotBrain(store)
        #expect(String(decoding: text, as: UTF8.self).contains(#""\u000a\u0009\u001f":{"\u000a\u0009\u001f":2}"#))
        #expect(Set(readHubotBrain([text]).entries) == (try await entries(of: store)))
        let brain = try #require(JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
        #expect((brain["_private"] as? [String: Any])?["own \n\t\u{1f}"] as? Int == 1)
    }

    @Test func `a collection replaces an empty object of its name`() async throws {
        let text = try await export([
            HubotEntry("scores", " { } "), HubotEntry("scores", "a", "1"), HubotEntry("users", "{}"),
            HubotEntry("data.karma", "{}"), HubotEntry("data.karma", "b", "2")
        ])
        #expect(text == #"{"users":{},"_private":{"scores":{"a":1}},"karma":{"b":2}}"#)
    }

    @Test func `entries that can't be exported are listed before anything is written`() async throws {
        let store = try await memoryStore([
            HubotEntry("fine", "1"), HubotEntry("a", "tru"), HubotEntry("b c", "d\n", ""), HubotEntry("e", "1"),
            HubotEntry("e", "f", "2"), HubotEntry("users", "{\"1\":{}}"), HubotEntry("data.users", "1"),
            HubotEntry("_private.x", "y", "1")
        ])
        var chunks = 0
        let error = await #expect(throws: HubotBrainJSONWriterError.self) {
            try await HubotBrainJSONWriter.write(store) { _ in chunks += 1 }
        }
        #expect(chunks == 0)
        #expect(
            error?.description
                == "these entries can't be stored in Hubot's brain: a isn't JSON (at byte 3: the text ends too soon; "
                + "expected true, false or null); Hubot's brain can't contain the name data.users; e is both a value and a "
                + "collection; the entry users is a value, not a collection; "
                + "Hubot's brain can't contain the name _private.x; "
                + #""b c"["d\n"] isn't JSON (at byte 0: the text ends too soon; expected a value); rename or remove them with "#
                + "heybot brain")
    }

    @Test func `only the first problems are listed, and the others counted`() async throws {
        let store = try await memoryStore((10..<25).map { HubotEntry("c", "k\($0)", "x") })
        let error = await #expect(throws: HubotBrainJSONWriterError.self) {
            try await HubotBrainJSONWriter.write(store) { _ in }
        }
        #expect(error?.count == 15)
        #expect(error?.description.contains("c[k19] isn't JSON (at byte 0: expected a value); and 5 more; ") == true)
        #expect(error?.description.contains("k20") == false)
    }

    @Test func `a value is written up to the maximum depth`() async throws {
        func value(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let text = try await export([HubotEntry("c", "k", value(512))])
        #expect(readHubotBrain(text).entries == [HubotEntry("c", "k", value(512))])
        await #expect(throws: HubotBrainJSONWriterError.self) { try await export([HubotEntry("c", "k", value(513))]) }
    }

    @Test func `the text is written in chunks`() async throws {
        let value = "\"\(String(repeating: "v", count: 1000))\""
        let all =
            (0..<450).map { HubotEntry("c", "k\($0)", value) } + (0..<450).map { HubotEntry("c\($0)", "k", "1") }
            + (0..<450).map { HubotEntry("v\($0)", "2") } + (0..<450).map { HubotEntry("users", "\($0)", "{}") }
        var pieces: [[UInt8]] = []
        try await HubotBrainJSONWriter.write(memoryStore(all)) { pieces.append($0) }
        #expect(pieces.count > 6)
        #expect(pieces.allSatisfy { $0.count < 70_000 })
        let (entries, error) = readHubotBrain(pieces)
        #expect(error == nil)
        #expect(entries.count == all.count)
        #expect(Set(entries) == Set(all))
    }

    @Test func `a write error ends an export, and so does an invalid entry added meanwhile`() async throws {
        struct Full: Error {}
        let there = [HubotEntry("c", "k", "1")]
        await #expect(throws: Full.self) {
            try await HubotBrainJSONWriter.write(memoryStore(there)) { _ in throw Full() }
        }
        let changes: [(HubotEntry, HubotBrainJSONWriterError.UnwritableEntry)] = [
            (
                HubotEntry("c", "k", "x"),
                .notJSON(StoreKey(collection: "c", name: "k"), offset: 0, expected: "expected a value")
            ),
            (HubotEntry("c", "2"), .valueAndCollection("c")), (HubotEntry("data.users", "2"), .noPlace("data.users")),
            (HubotEntry("data.users", "k", "2"), .noPlace("data.users"))
        ]
        for (entry, problem) in changes {
            let store = ChangingStore(try await memoryStore(there), after: 1, entry)
            await #expect(throws: HubotBrainJSONWriterError(problem)) {
                try await HubotBrainJSONWriter.write(store) { _ in }
            }
        }
    }

    @Test func `an entry that the store returns twice is harmless`() async throws {
        let store = try await memoryStore([HubotEntry("c", "k", "1"), HubotEntry("v", "2")])
        let text = try await exportHubotBrain(RepeatingStore(store))
        #expect(
            try canonical(json: text) == canonical(json: Array(#"{"users":{},"_private":{"c":{"k":1},"v":2}}"#.utf8)))
    }
}

/// A store that another process changes after the given number of walks over the single values.
private actor ChangingStore: Store {
    private let store: MemoryStore
    private let entry: HubotEntry
    private var walksLeft: Int

    init(_ store: MemoryStore, after walks: Int, _ entry: HubotEntry) {
        (self.store, self.entry, walksLeft) = (store, entry, walks)
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        if collection == nil {
            if walksLeft == 0 { try await store.set(entry.value, for: entry.key) }
            walksLeft -= 1
        }
        return try await store.page(of: collection, after: cursor, limit: limit)
    }

    func open() async throws {}
    func close() async {}
    func value(for key: StoreKey) async throws -> [UInt8]? { try await store.value(for: key) }
    func set(_ value: [UInt8]?, for key: StoreKey) async throws { try await store.set(value, for: key) }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        try await store.compareAndSet(value, for: key, expecting: expected)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try await store.collections(after: cursor, limit: limit)
    }
}

/// A store whose walks return every page twice.
private struct RepeatingStore: Store {
    private let store: MemoryStore

    init(_ store: MemoryStore) {
        self.store = store
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        var page = try await store.page(of: collection, after: nil, limit: limit)
        page.next = cursor == nil ? "again" : nil
        return page
    }

    func open() async throws {}
    func close() async {}
    func value(for key: StoreKey) async throws -> [UInt8]? { try await store.value(for: key) }
    func set(_ value: [UInt8]?, for key: StoreKey) async throws { try await store.set(value, for: key) }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        try await store.compareAndSet(value, for: key, expecting: expected)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try await store.collections(after: cursor, limit: limit)
    }
}
