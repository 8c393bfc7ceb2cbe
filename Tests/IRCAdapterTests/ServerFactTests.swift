import Foundation
import Heybot
import NetworkAdapter
import Synchronization
import Testing

@testable import IRCAdapter

/// An adapter that never connects, in a process beside that of the connection.
@Suite struct ServerFactTests {
    @Test func `an adapter without a connection compares names as another one's server does`() {
        let adapter = IRCAdapter(.test(1, "#dev"))
        #expect(adapter.serverFacts == [:])
        #expect(adapter.foldedRoomName("#Dev[") == "#dev[")
        adapter.adopt(["caseMapping": "rfc1459", "color": "blue"])
        #expect(adapter.foldedRoomName("#Dev[") == "#dev{")
        adapter.adopt(["caseMapping": "klingon"])
        #expect(adapter.foldedRoomName("#Dev[") == "#dev{")
        adapter.adopt(["caseMapping": "ascii"])
        let user = User(id: .init(adapter: "irc", value: "x"), name: "Ada[")
        #expect(adapter.privateRoom(of: user).id.value == "ada[")
        #expect(adapter.serverFacts == ["caseMapping": "ascii"])
    }

    @Test func `a change of the status is announced once`() {
        let changes = Atomic(0)
        var tracker = ConnectionStatusTracker(date: { .distantPast })
        tracker.onChange = { _ = changes.add(1, ordering: .relaxed) }
        tracker.begin()
        let begun = changes.load(ordering: .relaxed)
        tracker.markReady(at: .zero)
        let ready = changes.load(ordering: .relaxed)
        for _ in 1...2 { _ = tracker.fail(ConnectionFailure("no route")) }
        let failed = changes.load(ordering: .relaxed)
        #expect((begun, ready, failed) == (0, 1, 2))
    }
}
