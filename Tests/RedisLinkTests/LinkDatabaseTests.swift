import FoundationEssentials
import GatewayLink
import Heybot
import Logging
import RedisStore
import TestServers
import Testing

@testable import RedisLink

/// The steps by which gateways and workers share a real Redis.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(10))) struct LinkDatabaseTests {
    private static let minute: Duration = .seconds(60)

    /// Runs `body` with a Redis in which a gateway has the adapter `chat`, and a worker all partitions.
    private func withDatabase(
        _ body: (_ database: LinkDatabase, _ adapter: Int, _ partitions: [Int: Int], _ server: RedisServer) async throws
            -> Void
    ) async throws {
        try await LinkedRobots.with { robots in
            let silent = Logger(label: "link") { _ in SwiftLogNoOpLogHandler() }
            let database = LinkDatabase(try LinkedRobots.configuration(port: robots.server.port), silent)
            try await database.open()
            let facts = AdapterFacts(name: "chat", status: .starting)
            let held = try #require(try await database.hold([facts], for: Self.minute, by: "gateway", read: "0-0"))
            let renewal = try await database.renew(
                "worker", for: Self.minute, takesPartitions: true, from: 0, read: "0-0")
            try await body(database, held.tokens[0], renewal.owned, robots.server)
            await database.close()
        }
    }

    private static func call(_ number: Int, _ text: String) -> AdapterCall {
        AdapterCall(call: number, adapter: "chat", operation: .join(text, password: nil))
    }

    @Test func `a partition takes messages up to a length in all, and further ones when some are done`() async throws {
        try await withDatabase { database, token, partitions, server in
            let message = [UInt8](repeating: 97, count: 600)
            let limit = StreamLimit(entries: 100, bytes: 1_000)
            let ids = try #require(
                try await database.add(
                    [message, message, message], from: 1, of: "chat", token, to: 3, limit: limit))
            #expect(ids.count == 2)
            #expect(try await database.add([message], from: 3, of: "chat", token, to: 3, limit: limit) == [])
            // Another partition has room.
            #expect(try await database.add([message], from: 1, of: "chat", token, to: 4, limit: limit)?.count == 1)
            let own = try #require(partitions[3])
            _ = try await database.finish([(3, own, ids[0])], of: "worker")
            // Removing it again changes nothing.
            _ = try await database.finish([(3, own, ids[0])], of: "worker")
            #expect(try await server.command("HGET", "heybot:link:bytes", "in:3").hasPrefix("601"))
            let last = try #require(
                try await database.add([message], from: 3, of: "chat", token, to: 3, limit: limit))
            #expect(last.count == 1)
            _ = try await database.finish([(3, own, ids[1]), (3, own, last[0])], of: "worker")
            #expect(try await server.command("HEXISTS", "heybot:link:bytes", "in:3").hasPrefix("0"))
        }
    }

    @Test func `an adapter takes calls up to a length in all, and further ones when some have ended`() async throws {
        try await withDatabase { database, _, partitions, server in
            let limit = StreamLimit(entries: 100, bytes: 2_000)
            let own = try #require(partitions[3])
            let text = String(repeating: "a", count: 1_500)
            func begin(_ number: Int) async throws -> LinkDatabase.CallState {
                try await database.begin(
                    Self.call(number, text), for: "1-0", in: 3, own, place: "\(number)", of: "worker", limit: limit)
            }
            #expect(try await begin(1).isUnderway)
            let second = try await database.request(
                Self.call(2, text), for: "", in: nil, of: "worker", hasOutcome: true, limit: limit)
            #expect(second.isUnderway)
            #expect(try await begin(3).isFull)
            let found = try await database.read([("out:chat", "0-0")], limit: 10)
            let calls = found.flatMap(\.1).map(QueuedCall.init)
            #expect(calls.count == 2)
            try await database.finish(calls[0], of: "chat", CallOutcome())
            #expect(try await begin(3).isUnderway)
            let last = try await database.read([("out:chat", calls[1].id)], limit: 10).flatMap(\.1).map(QueuedCall.init)
            for call in [calls[1]] + last { try await database.finish(call, of: "chat", CallOutcome()) }
            #expect(try await server.command("HEXISTS", "heybot:link:bytes", "out:chat").hasPrefix("0"))
        }
    }

    @Test func `what a worker has read is removed from its stream`() async throws {
        try await withDatabase { database, _, _, server in
            for _ in 0..<1_000 { try await database.wake("worker") }
            let read = try await database.read([("to:worker", "0-0")], limit: 1_000).flatMap(\.1)
            #expect(read.count == 1_000)
            for _ in 0..<10 { try await database.wake("worker") }
            _ = try await database.renew(
                "worker", for: Self.minute, takesPartitions: true, from: 0, read: try #require(read.last).id)
            let left = try await server.command("XLEN", "heybot:link:to:worker")
            // Redis removes whole blocks of entries.
            #expect(try #require(Int(left.filter(\.isNumber))) <= 110)
            let unread = try await database.read([("to:worker", try #require(read.last).id)], limit: 100).flatMap(\.1)
            #expect(unread.count == 10)
        }
    }

    @Test func `a version with another format doesn't start beside processes of this one`() async throws {
        try await withDatabase { database, _, _, _ in
            try await database.introduce("marvin")
            try await database.introduce("marvin")
            let error = await #expect(throws: StoreError.self) { try await database.introduce("marvin", format: 2) }
            #expect(
                error?.description
                    == "gateways or workers of a version with another format (1, this one has 2) use this Redis: stop all of them, and "
                    + "start them with the same version")
            try await database.leave("worker")
            try await database.release(adapters: ["chat"], of: "gateway")
            try await database.introduce("marvin", format: 2)
        }
    }

    @Test func `what a later version adds to a message is ignored`() throws {
        let message = Message(
            id: .init(adapter: "chat", value: "m1"), user: User(id: .init(adapter: "chat", value: "al"), name: "al"),
            room: Room(id: .init(adapter: "chat", value: "#a")), content: .text("hi"))
        let json = try LinkCoder.encode(GatewayFrame.message(NumberedMessage(number: 0, message: message))).json
        let later = String(decoding: json, as: UTF8.self).replacing("{", with: #"{"later":[{"a":1}],"#)
            // Only objects that had members.
            .replacing(",}", with: "}")
        #expect(try #require(LinkDatabase.message(Array(later.utf8))) == message)
    }
}

extension LinkDatabase.CallState {
    fileprivate var isUnderway: Bool { if case .underway = self { true } else { false } }
    fileprivate var isFull: Bool { if case .full = self { true } else { false } }
}
