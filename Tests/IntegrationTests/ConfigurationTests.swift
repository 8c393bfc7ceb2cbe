import Heybot
import HeybotTesting
import IRCAdapter
import Testing
import XMPPAdapter

/// Problems of an adapter's configuration are reported when the adapter is created or runs, and no secret is printed.
@Suite struct ConfigurationTests {
    private func account(_ change: (inout XMPPAdapter.Configuration) -> Void) -> XMPPAdapter.Configuration {
        var configuration = XMPPAdapter.Configuration(
            address: "marvin@example.org", password: "hush1", rooms: [.init("dev@muc.example.org", password: "hush2")])
        change(&configuration)
        return configuration
    }

    @Test func `no description shows a password or a key`() {
        var irc = IRCAdapter.Configuration(servers: ["irc.example.org"], channels: [.init("#dev", key: "hush1")])
        (irc.password, irc.accountPassword, irc.command, irc.nick) = ("hush2", "hush3", "OPER marvin hush4", "marvin")
        #expect("\(irc)" == "marvin on irc.example.org, in #dev")
        let xmpp = account { _ in }
        #expect("\(xmpp)" == "marvin@example.org, in dev@muc.example.org")
        for value: Any in [irc, xmpp, irc.channels, xmpp.rooms] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("hush"), "\(text)")
            }
        }
    }

    @Test func `invalid options are reported`() {
        let wrong: [(XMPPAdapter.Configuration, words: String)] = [
            (account { $0.password = nil }, "password"),
            (account { $0.port = 5_223 }, "a port is set, but no host"),
            (account { $0.isDirectTLS = true }, "direct TLS is set, but no host"),
            (account { $0.mechanism = "DIGEST-MD5" }, "unknown SASL mechanism DIGEST-MD5"),
            (account { $0.rooms = ["no room@@"] }, "\"no room@@\" isn't a valid address")
        ]
        for (configuration, words) in wrong {
            let error = #expect(throws: AdapterError.self) { try XMPPAdapter(configuration) }
            #expect(error?.code == .misconfigured && error?.reason.contains(words) == true, "\(words): \(error as Any)")
        }
        #expect(throws: Never.self) { try XMPPAdapter(account { $0.mechanism = "scram-sha-1" }) }
        var irc = IRCAdapter.Configuration()
        #expect(throws: AdapterError(.misconfigured, "irc has no server to connect to: set one")) {
            try IRCAdapter(irc)
        }
        irc.servers = ["irc.example.org"]
        irc.nick = "mar vin"
        let error = #expect(throws: AdapterError.self) { try IRCAdapter(irc) }
        #expect(error?.reason.hasPrefix("\"mar vin\" isn't a valid nick") == true)
    }

    @Test(.timeLimit(.minutes(15))) func `a robot name that isn't a valid nick is reported`() async throws {
        let robot = Robot(
            name: "Marvin the robot", adapters: [IRCAdapter(server: "127.0.0.1:9", channels: ["#dev"])],
            brain: Brain(store: MemoryStore()), scripts: [])
        let error = await #expect(throws: AdapterError.self) { try await robot.run() }
        #expect(
            error?.code == .misconfigured && error?.reason.contains("\"Marvin the robot\" isn't a valid nick") == true)
    }
}
