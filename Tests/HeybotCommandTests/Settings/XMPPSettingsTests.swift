import HeybotSASL
import HeybotSockets
import HeybotSupport
import HeybotXMPP
import TestServers
import Testing
import XMPPAdapter

@testable import HeybotCommand

@Suite struct XMPPSettingsTests {
    private func read(
        _ environment: [String: String], adapter: String = "xmpp"
    ) throws -> XMPPAdapter.ResolvedConfiguration {
        var environment = environment
        environment["HEYBOT_ADAPTER"] = adapter
        environment["HEYBOT_NAME"] = environment["HEYBOT_NAME"] ?? "marvin"
        let settings = try ResolvedSettings(Options.parse([]), [], environment: environment).settings
        let network = Network(AdapterName(rawValue: adapter))
        return try settings.xmppConfiguration(of: network).resolved(robotName: "")
    }

    private func problems(_ environment: [String: String], adapter: String = "xmpp") -> [String] {
        do {
            _ = try read(environment, adapter: adapter)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    private let account = ["HEYBOT_XMPP_USERNAME": "marvin@example.org", "HEYBOT_XMPP_PASSWORD": "pencil"]

    private func read(with more: [String: String]) throws -> XMPPAdapter.ResolvedConfiguration {
        try read(account.merging(more) { $1 })
    }

    @Test func `only the account is required: TLS, the server from DNS, and the robot's name are defaults`() throws {
        let configuration = try read(account)
        #expect(configuration.session.address == (try JID("marvin@example.org")))
        #expect(configuration.session.password == "pencil")
        #expect(configuration.session.nick == "marvin")
        #expect(configuration.session.usesTLS && configuration.server == nil && configuration.trust == .system)
        #expect(configuration.session.contacts == .all)
        #expect(configuration.session.missedMessageAge == .seconds(600))
        #expect(configuration.session.isKeptAtStop)
        #expect(!configuration.session.usesBookmarks)
    }

    @Test func `the robot can be made to use bookmarks`() throws {
        let configuration = try read(with: ["HEYBOT_XMPP_BOOKMARKS": "true"])
        #expect(configuration.session.usesBookmarks)
    }

    @Test func `an account in a folder has the same id after each start, a UUID`() throws {
        let ids = try ["marvin@example.org", "marvin@example.org/office", "hubot@example.org"].map { address in
            try #require(try read(with: ["HEYBOT_XMPP_USERNAME": address]).session.installation)
        }
        #expect(ids[0] == ids[1] && ids[0] != ids[2])
        let uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        for id in ids { #expect(id.wholeMatch(of: uuid) != nil) }
    }

    @Test func `the robot can be made to leave when it is stopped`() throws {
        let configuration = try read(with: ["HEYBOT_XMPP_STAY_DURING_RESTART": "false"])
        #expect(!configuration.session.isKeptAtStop)
    }

    @Test func `the age of missed messages is in seconds, and zero is allowed`() throws {
        for (text, age) in [("90", .seconds(90)), ("0", .zero)] as [(String, Duration)] {
            let configuration = try read(with: ["HEYBOT_XMPP_MISSED_MESSAGE_AGE": text])
            #expect(configuration.session.missedMessageAge == age)
        }
    }

    @Test func `the environment of Hubot's adapter works as it is`() throws {
        let configuration = try read([
            "HUBOT_XMPP_USERNAME": "hubot@example.org/office", "HUBOT_XMPP_PASSWORD": "pencil",
            "HUBOT_XMPP_ROOMS": "dev@conference.example.org,ops@conference.example.org:open:sesame",
            "HUBOT_XMPP_HOST": "xmpp.example.org", "HUBOT_XMPP_PORT": "5269", "HUBOT_XMPP_KEEPALIVE_INTERVAL": "15000",
            "HUBOT_XMPP_RECONNECT_TRY": "5", "HUBOT_XMPP_RECONNECT_WAIT": "5000",
            "HUBOT_XMPP_PREFERRED_SASL_MECHANISM": "PLAIN", "HUBOT_XMPP_PM_ADD_PREFIX": "1"
        ])
        let session = configuration.session
        #expect(session.address.resource == "office")
        #expect(
            session.rooms.map(\.address.description) == ["dev@conference.example.org", "ops@conference.example.org"])
        #expect(session.rooms.map(\.password) == [nil, "open:sesame"])
        #expect(configuration.server == Endpoint(host: "xmpp.example.org", port: 5269))
        #expect(session.timeouts.pingInterval == .seconds(15))
        #expect(configuration.connection.reconnect.first == .seconds(5))
        #expect(session.mechanism == .plain)
    }

    @Test func `a server with TLS from the first byte on, and one without any`() throws {
        let direct = try read(with: ["HEYBOT_XMPP_HOST": "xmpp.test", "HEYBOT_XMPP_LEGACYSSL": "true"])
        #expect(direct.isDirectTLS && direct.server?.port == 5_223 && direct.session.usesTLS)
        let none = try read(with: ["HEYBOT_XMPP_HOST": "localhost", "HEYBOT_XMPP_DISALLOW_TLS": "1"])
        #expect(!none.session.usesTLS && none.server?.port == 5_222)
    }

    @Test func `the adapter gtalk has Google Talk's names, and XMPP's for the rest`() throws {
        let talk = try read(
            [
                "HUBOT_GTALK_USERNAME": "hubot@example.org", "HUBOT_GTALK_PASSWORD": "pencil",
                "HUBOT_GTALK_WHITELIST_DOMAINS": "example.org, example.net",
                "HUBOT_GTALK_WHITELIST_USERS": "eve@evil.test",
                "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_STATUS": "here to help"
            ], adapter: "gtalk")
        #expect(talk.session.address == (try JID("hubot@example.org")))
        #expect(talk.server?.host == "127.0.0.1" && talk.session.status == "here to help")
        for (person, isWelcome) in [
            ("ada@example.org/desk", true), ("bob@example.net", true), ("eve@evil.test", true), ("mal@evil.test", false)
        ] {
            #expect(talk.session.contacts.include(try JID(person)) == isWelcome)
        }
        #expect(
            problems([:], adapter: "gtalk").map { $0.prefix(21) } == ["HEYBOT_GTALK_USERNAME", "HEYBOT_GTALK_PASSWORD"])
    }

    @Test(arguments: [
        (["HEYBOT_XMPP_USERNAME": "marvin"], "HEYBOT_XMPP_USERNAME is \"marvin\"; expected an address"),
        (["HEYBOT_XMPP_ROOMS": "dev@conf.test:"], "HEYBOT_XMPP_ROOMS is invalid; expected rooms"),
        (["HEYBOT_XMPP_PORT": "5222"], "HEYBOT_XMPP_PORT requires HEYBOT_XMPP_HOST"),
        (["HEYBOT_XMPP_LEGACYSSL": "true"], "HEYBOT_XMPP_LEGACYSSL requires HEYBOT_XMPP_HOST"),
        (["HEYBOT_XMPP_CA_FILE": "/no/such/file"], "HEYBOT_XMPP_CA_FILE: "),
        (["HEYBOT_XMPP_CONTACTS": "a b"], "HEYBOT_XMPP_CONTACTS is \"a b\"; expected all, none"),
        (["HEYBOT_XMPP_PREFERRED_SASL_MECHANISM": "X"], "expected SCRAM-SHA-512, SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN"),
        (
            ["HEYBOT_XMPP_DISALLOW_TLS": "1", "HEYBOT_XMPP_LEGACYSSL": "1", "HEYBOT_XMPP_HOST": "h"],
            "can't be combined"
        )
    ]) func `errors have one line`(more: [String: String], words: String) {
        let problems = problems(account.merging(more) { $1 })
        #expect(problems.count == 1 && problems.first?.contains(words) == true, "\(problems)")
        #expect(!problems.joined().contains("pencil"))
    }

    @Test func `rooms, contacts and status come from the file's kinds of values too`() throws {
        let kinds = Setting.xmpp.map(\.variable)
        #expect(Set(kinds).count == kinds.count)
        #expect(kinds.allSatisfy { $0.hasPrefix("HEYBOT_XMPP_") || $0.hasPrefix("HEYBOT_GTALK_") })
    }
}
