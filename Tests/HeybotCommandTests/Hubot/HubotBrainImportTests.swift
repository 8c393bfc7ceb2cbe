import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import HeybotCommand

/// Tests of importing a Hubot brain into a store.
@Suite(.timeLimit(.minutes(15))) struct HubotBrainImportTests {
    private static let brain =
        #"{"users":{"1":{"id":"1"}},"_private":{"scores":{"a":1,"b":2},"motto":"Be kind"},"n":3}"#

    @Test func `all entries are imported, and others are kept`() async throws {
        let other = [HubotEntry("rules.motto", "1"), HubotEntry("scores", "c", "9"), HubotEntry("users", "2", "{}")]
        let store = try await memoryStore(other + [HubotEntry("scores", "a", "0"), HubotEntry("motto", "0")])
        let expected = Set(
            other + [
                HubotEntry("users", "1", #"{"id":"1"}"#), HubotEntry("scores", "a", "1"),
                HubotEntry("scores", "b", "2"),
                HubotEntry("motto", #""Be kind""#), HubotEntry("data.n", "3")
            ])
        for _ in 1...2 {
            #expect(try await importHubotBrain(Self.brain, into: store) == 5)
            #expect(try await entries(of: store) == expected)
        }
    }

    @Test func `the later of two entries with the same name counts`() async throws {
        let store = try await memoryStore()
        let many = (0..<300).map { "\"k\($0)\":1" }.joined(separator: ",")
        let text = #"{"_private":{"a":1,"a":2,"c":{"x":1,\#(many),"k0":2,"x":3},"é":1,"e\#u{301}":2}}"#
        #expect(try await importHubotBrain(text, into: store) == 307)
        for (key, value) in [("x", "3"), ("k0", "2"), ("k1", "1")] {
            #expect(try await store.value(for: StoreKey(collection: "c", name: key)) == Array(value.utf8))
        }
        #expect(try await store.value(for: StoreKey(name: "a")) == Array("2".utf8))
        #expect(try await store.value(for: StoreKey(name: "\u{e9}")) == Array("1".utf8))
        #expect(try await store.value(for: StoreKey(name: "e\u{301}")) == Array("2".utf8))
    }

    @Test func `a collection replaces only an empty object`() async throws {
        let store = try await memoryStore([
            HubotEntry("scores", "{ }"), HubotEntry("other", "{}"), HubotEntry("data.n", "4")
        ])
        let text = #"{"_private":{"scores":{"a":1,"b":2}},"n":{"a":1}}"#
        #expect(try await importHubotBrain(text, into: store) == 3)
        #expect(
            try await entries(of: store) == [
                HubotEntry("scores", "a", "1"), HubotEntry("scores", "b", "2"), HubotEntry("other", "{}"),
                HubotEntry("data.n", "4"), HubotEntry("data.n", "a", "1")
            ])
    }

    @Test func `an empty object is imported unless there is a collection`() async throws {
        let there = [HubotEntry("scores", "a", "1")]
        let store = try await memoryStore(there + [HubotEntry("old", "1")])
        let text = #"{"_private":{"scores":{},"old":{},"new":{ }}}"#
        #expect(try await importHubotBrain(text, into: store) == 2)
        #expect(try await entries(of: store) == Set(there + [HubotEntry("old", "{}"), HubotEntry("new", "{ }")]))
    }

    @Test func `a syntax error ends an import, and the entries before it are kept`() async throws {
        for pieces in [[#"{"a":1,"b":2,"#, "x"], [#"{"a":1,"b":2,x"#], [#"{"a":1,"b":2,x"#, " and more"]] {
            let store = try await memoryStore()
            let error = await #expect(throws: IncompleteImportError.self) {
                try await importHubotBrain(pieces.map { Array($0.utf8) }, into: store)
            }
            #expect(
                error?.description
                    == "at byte 13: expected a name in double quotes; the entries before this point were imported")
            #expect(try await entries(of: store) == [HubotEntry("data.a", "1"), HubotEntry("data.b", "2")])
        }
    }

    @Test func `an incomplete text or a read error ends an import`() async throws {
        struct Unreadable: Error {}
        let store = try await memoryStore()
        await #expect(throws: IncompleteImportError.self) { try await importHubotBrain(#"{"a":1,"b":2"#, into: store) }
        #expect(try await store.value(for: StoreKey(name: "data.a")) == Array("1".utf8))
        await #expect(throws: Unreadable.self) {
            var pieces = [#"{"a":2,"#][...]
            _ = try await HubotBrainImport.run(
                from: {
                    guard let piece = pieces.popFirst() else { throw Unreadable() }
                    return Array(piece.utf8)
                }, into: store)
        }
        #expect(try await store.value(for: StoreKey(name: "data.a")) == Array("2".utf8))
    }

    @Test(arguments: [
        (Network(.xmpp, name: "work"), false), (Network(.gtalk), false), (Network(.irc, name: "libera"), true)
    ])
    func `roles are for ids on the network, and on XMPP only for addresses`(
        _ network: Network, _ isConverted: Bool
    ) async throws {
        let store = try await memoryStore()
        var rest = [#"{"users":{"ada":{"id":"ada","name":"ada","roles":["ops"]}}}"#][...]
        let result = try await HubotBrainImport.run(
            from: { rest.popFirst().map { Array($0.utf8) } }, into: store, network: network)
        let isConvertedToo = result.notes.contains { $0.hasSuffix("stored for \(network.name):ada") }
        #expect(isConvertedToo == isConverted)
        #expect(result.notes.contains { $0.hasPrefix("roles of people without a full address") } != isConverted)
    }

    @Test func `a store's error ends an import`() async throws {
        let store = MemoryStore()
        let error = await #expect(throws: StoreError.self) { try await importHubotBrain(Self.brain, into: store) }
        #expect(error?.code == .closed)
    }

    @Test(arguments: [(count: 1024, bytes: 1, batch: 256), (count: 9, bytes: 3 << 19, batch: 3)])
    func `entries are written in batches, each concurrently`(
        _ entries: (count: Int, bytes: Int, batch: Int)
    ) async throws {
        let store = GatheringStore(entries.batch)
        let value = "\"\(String(repeating: "v", count: entries.bytes - 2 < 0 ? 0 : entries.bytes - 2))\""
        var (given, mostWaiting) = (0, 0)
        let count = try await HubotBrainImport.run(
            from: {
                mostWaiting = max(mostWaiting, given - (await store.written))
                guard given <= entries.count else { return nil }
                defer { given += 1 }
                if given == entries.count { return Array("}}}".utf8) }
                return Array("\(given == 0 ? #"{"_private":{"c":{"# : ",")\"k\(given)\":\(value)".utf8)
            }, into: store
        ).count
        #expect(count == entries.count)
        #expect(await store.written == entries.count)
        // An entry that is complete only with the next chunk, and the end.
        #expect((entries.batch...(entries.batch + 2)).contains(mostWaiting))
    }
}

/// A store that completes no write before the given number are pending.
private actor GatheringStore: Store {
    private let most: Int
    private var arrived = 0
    private(set) var written = 0

    init(_ most: Int) {
        self.most = most
    }

    func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        let wanted = (arrived / most + 1) * most
        arrived += 1
        // Until the test's timeout.
        while arrived < wanted {
            try Task.checkCancellation()
            await Task.yield()
        }
        written += 1
    }

    func open() async throws {}
    func close() async {}
    func value(for key: StoreKey) async throws -> [UInt8]? { nil }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        false
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        StorePage(entries: [], next: nil)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) { ([], nil) }
}
