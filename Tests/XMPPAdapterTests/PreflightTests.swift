import FoundationEssentials
import Heybot
import HeybotSockets
import HeybotTesting
import HeybotXMPP
import NetworkAdapter
import Synchronization
import TestServers
import Testing
import XMPPAdapter

/// Preflight checks of scripted servers; `heybot check` has tests with real ones.
@Suite(.timeLimit(.minutes(15))) struct PreflightTests {
    private let room = "dev@conference.xmpp.test"

    /// Checks until the body ends, and returns the results.
    private func check(
        _ configuration: XMPPAdapter.ResolvedConfiguration,
        on timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }), within limit: Duration = .testLimit,
        _ body: () async throws -> Void
    ) async throws -> [PreflightCheckResult] {
        let log = TestLog()
        let adapter = XMPPAdapter(
            configuration, in: AdapterDependencies(timeSource, generator: SeededGenerator(seed: 1), logger: log.logger))
        let steps = Mutex<[PreflightCheckResult]>([])
        async let checking: Void = adapter.check(within: limit) { step in steps.withLock { $0.append(step) } }
        try await body()
        await checking
        return steps.withLock { $0 }
    }

    @Test func `a room with untrusted addresses is reported with a fix`() async throws {
        let server = try ScriptedXMPPServer()
        let info =
            "<query xmlns='http://jabber.org/protocol/disco#info'><identity category='conference' type='irc'/>"
            + "<feature var='http://jabber.org/protocol/muc'/></query>"
        let steps = try await check(.test(server.port, rooms: [room])) {
            let client = try await server.accept()
            client.answerRequest("http://jabber.org/protocol/disco#info") {
                "<iq type='result' id='\($0)' from='conference.xmpp.test'>\(info)</iq>"
            }
            client.answerJoins(others: [])
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("</stream:stream>")
            client.close()
        }
        guard case .warned(let words, let fix) = steps.last?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(words.contains("conference.xmpp.test is a gateway"))
        #expect(fix == "ask admins to send direct messages to the robot, or use a room of another service")
    }

    @Test func `the check is invisible to contacts, approves no subscriptions, and leaves`() async throws {
        let server = try ScriptedXMPPServer()
        let configuration = try XMPPAdapter.ResolvedConfiguration.test(server.port, rooms: [room]) {
            $0.address = (try? JID("marvin@xmpp.test/robot")) ?? $0.address
        }
        let steps = try await check(configuration) {
            let client = try await server.accept()
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("<presence to='\(room)/marvin'")
            client.send("<presence type='subscribe' from='ada@xmpp.test'/>")
            client.tell("ping", from: "ada@xmpp.test/desk")
            client.say("marvin: ping", as: "ada", in: room)
            client.send(
                """
                <presence from='\(room)/marvin'><x xmlns='http://jabber.org/protocol/muc#user'>\
                <item affiliation='none' role='participant'/><status code='110'/></x></presence>
                """)
            try await client.expect("</stream:stream>")
            let stanzas = client.received
            #expect(!stanzas.contains { $0.contains("<message") || $0.contains("subscribe") || $0.contains("robot") })
            #expect(
                !stanzas.contains { $0.hasPrefix("<presence") && !$0.contains("unavailable") && !$0.contains(room) })
            client.close()
        }
        #expect(steps.count == 4)
        #expect(steps[2] == PreflightCheckResult("files", .skipped("the server takes no files")))
        #expect(
            steps.first
                == PreflightCheckResult(
                    "127.0.0.1:\(server.port)", .passed("connected to 127.0.0.1:\(server.port), not encrypted")))
        #expect(steps.last == PreflightCheckResult(room, .passed("joined; the room is empty")))
    }

    @Test func `the service that takes files is found, and nothing is requested from it`() async throws {
        let server = try ScriptedXMPPServer()
        let steps = try await check(.test(server.port)) {
            let client = try await server.accept()
            client.answer { stanza in
                guard stanza.hasPrefix("<iq"), let id = attribute("id", of: stanza),
                    let to = attribute("to", of: stanza)
                else { return [] }
                let payload =
                    to == "upload.xmpp.test"
                    ? "disco#info'><feature var='urn:xmpp:http:upload:0'/>"
                    : stanza.contains("disco#items") ? "disco#items'><item jid='upload.xmpp.test'/>" : "disco#info'>"
                let query = "<query xmlns='http://jabber.org/protocol/\(payload)</query>"
                return ["<iq type='result' id='\(id)' from='\(to)'>\(query)</iq>"]
            }
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("</stream:stream>")
            #expect(!client.received.contains { $0.contains("<request") })
            client.close()
        }
        #expect(steps.last == PreflightCheckResult("files", .passed("upload.xmpp.test takes files")))
    }

    @Test func `a room that never answers is reported after the timeout`() async throws {
        let server = try ScriptedXMPPServer()
        let clock = ManualClock()
        let steps = try await check(
            .test(server.port, rooms: [room]), on: TimeSource(clock, date: { .now }), within: .seconds(30)
        ) {
            let client = try await server.accept()
            client.answerRequests()
            try await client.logIn(ScriptedLogin(account: ("marvin", "pencil")))
            try await client.expect("<presence to='\(room)/marvin'")
            try await clock.waitForSleeper { $0 == .seconds(30) }
            clock.advance(by: .seconds(30))
            try await client.expect("</stream:stream>")
            client.close()
        }
        #expect(
            steps.last
                == PreflightCheckResult(room, .failed("it doesn't answer", fix: "check the room's address in rooms")))
    }

    @Test func `name servers that don't answer are reported with their configuration file`() async throws {
        let names = try NameServer([
            "_xmpp-client._tcp.nowhere.invalid": .silence, "_xmpps-client._tcp.nowhere.invalid": .silence
        ])
        var configuration = try XMPPAdapter.ResolvedConfiguration.test(0) {
            $0.address = (try? JID("marvin@nowhere.invalid")) ?? $0.address
        }
        configuration.server = nil
        configuration.lookup = SRVResolver(server: (names.address, names.port), timeout: .seconds(1))
        let steps = try await check(configuration) {}
        #expect(steps.map(\.subject) == ["nowhere.invalid", "nowhere.invalid", "login, rooms"])
        guard case .warned(let reason, let fix) = steps.first?.outcome else {
            Issue.record("\(steps)")
            return
        }
        // On a busy machine the resolver may give up first, with another error.
        #expect(reason.hasPrefix("_xmpp-client._tcp.nowhere.invalid can't be looked up: no "))
        #expect(
            fix == "check that the name servers in /etc/resolv.conf can be reached, or set "
                + "host")
        names.stop()
    }

    @Test func `a server that doesn't serve the domain is reported with its text`() async throws {
        let server = try ScriptedXMPPServer()
        let steps = try await check(.test(server.port)) {
            let client = try await server.accept()
            try await client.expect("<stream:stream")
            client.sendRaw(
                Array(
                    """
                    <stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>\
                    <stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>
                    """.utf8))
            try await client.expectEnd()
        }
        #expect(steps.map(\.subject) == ["127.0.0.1:\(server.port)", "login", "rooms"])
        guard case .failed(let reason, let fix) = steps.dropFirst().first?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(reason == "the server doesn't serve the domain of the account (host-unknown)")
        #expect(fix == "check the domain of address, and host")
    }
}
