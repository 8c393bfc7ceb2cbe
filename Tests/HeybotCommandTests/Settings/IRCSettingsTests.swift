import Foundation
import HeybotIRC
import HeybotSASL
import HeybotSockets
import HeybotSupport
import IRCAdapter
import TestServers
import Testing

@testable import HeybotCommand

@Suite(.blocking) struct IRCSettingsTests {
    private func read(_ environment: [String: String]) throws -> IRCAdapter.ResolvedConfiguration {
        var environment = environment
        environment["HEYBOT_ADAPTER"] = "irc"
        environment["HEYBOT_NAME"] = environment["HEYBOT_NAME"] ?? "marvin"
        let read = try ResolvedSettings(Options.parse([]), [], environment: environment)
        return try read.settings.ircConfiguration(of: Network(.irc)).resolved(robotName: "")
    }

    private func problems(_ environment: [String: String]) -> [String] {
        do {
            _ = try read(environment)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test func `only the server is required: TLS and the robot's name are defaults`() throws {
        let configuration = try read(["HEYBOT_IRC_SERVER": "irc.libera.chat"])
        #expect(configuration.servers == [Endpoint(host: "irc.libera.chat", port: 6697)])
        #expect(configuration.tls == TLSOptions(trust: .system))
        #expect(configuration.session.nick == "marvin")
        #expect(configuration.session.realName == "marvin")
        #expect(configuration.session.rateLimit == RateLimit(burst: 5, interval: .seconds(1)))
        #expect(configuration.session.missedMessageAge == .seconds(600))
    }

    @Test func `the environment of Hubot's adapter works as it is`() throws {
        let configuration = try read([
            "HUBOT_IRC_SERVER": "irc.example.org", "HUBOT_IRC_PORT": "6667", "HUBOT_IRC_ROOMS": "#dev,#ops sesame",
            "HUBOT_IRC_NICK": "hubot", "HUBOT_IRC_PASSWORD": "server", "HUBOT_IRC_NICKSERV_PASSWORD": "pencil",
            "HUBOT_IRC_NICKSERV_USERNAME": "hubert", "HUBOT_IRC_REALNAME": "Hu Bot", "HUBOT_IRC_USERNAME": "hu",
            "HUBOT_IRC_CONNECT_COMMAND": "OPER hubot x", "HUBOT_IRC_UNFLOOD": "500",
            "HUBOT_IRC_IGNORE_USERS": "a,b!*@*",
            "HUBOT_IRC_PRIVATE": "true", "HUBOT_IRC_IGNOREINVITE": "true", "HUBOT_IRC_SEND_NOTICE_MODE": "1"
        ])
        let profile = configuration.session
        #expect(configuration.servers == [Endpoint(host: "irc.example.org", port: 6667)])
        #expect(configuration.tls == nil)
        #expect(profile.channels == [.init("#dev"), .init("#ops", key: "sesame")])
        #expect((profile.nick, profile.user, profile.realName) == ("hubot", "hu", "Hu Bot"))
        #expect(profile.serverPassword == "server")
        #expect(profile.account == Credentials(account: "hubert", password: "pencil"))
        #expect(profile.commands == ["OPER hubot x"])
        #expect(profile.rateLimit.interval == .milliseconds(500))
        #expect(profile.ignored == [Mask("a"), Mask("b!*@*")])
        #expect(!profile.hearsPrivateMessages && !profile.acceptsInvitations && profile.speaksInNotices)
    }

    @Test func `with SASL the password is the account's, as it was with Hubot`() throws {
        let profile = try read([
            "HUBOT_IRC_SERVER": "irc.example.org", "HUBOT_IRC_USESASL": "true", "HUBOT_IRC_USERNAME": "hubert",
            "HUBOT_IRC_PASSWORD": "pencil", "HUBOT_IRC_USESSL": "true"
        ]).session
        #expect(profile.serverPassword == nil)
        #expect(profile.account == Credentials(account: "hubert", password: "pencil"))
    }

    @Test(arguments: [
        (["HEYBOT_IRC_PORT": "6697"], true), (["HEYBOT_IRC_PORT": "6667"], false), ([:], true),
        (["HEYBOT_IRC_PORT": "7000", "HEYBOT_IRC_USESSL": "true"], true), (["HEYBOT_IRC_USESSL": "false"], false)
    ]) func `TLS is the default, except with other ports`(more: [String: String], isSecure: Bool) throws {
        let configuration = try read(["HEYBOT_IRC_SERVER": "irc.test"].merging(more) { $1 })
        #expect((configuration.tls != nil) == isSecure)
        #expect(configuration.servers[0].port == Int(more["HEYBOT_IRC_PORT"] ?? (isSecure ? "6697" : "6667")))
    }

    @Test(arguments: [
        ("irc.test", "irc.test:6697"), ("irc.test:7000", "irc.test:7000"), ("[::1]:6697", "[::1]:6697"),
        ("2001:db8::1", "[2001:db8::1]:6697")
    ]) func `a server may include its port`(text: String, endpoint: String) throws {
        let configuration = try read(["HEYBOT_IRC_SERVER": text, "HEYBOT_IRC_USESSL": "true"])
        #expect(configuration.servers[0].description == endpoint)
    }

    @Test func `certificate verification`() throws {
        let print = String(repeating: "ab", count: 32)
        let base = ["HEYBOT_IRC_SERVER": "irc.test"]
        func trust(_ more: [String: String]) throws -> TLSOptions.Trust? {
            try read(base.merging(more) { $1 }).tls?.trust
        }
        #expect(try trust(["HEYBOT_IRC_FINGERPRINT": print]) == Fingerprint(print).map { .fingerprint($0) })
        #expect(try trust(["HUBOT_IRC_SERVER_FAKE_SSL": "true"]) == .anyone)
        #expect(try trust(["HUBOT_IRC_SERVER_CERT_EXPIRED": "true"]) == .anyone)
        // The stricter setting counts.
        #expect(
            try trust(["HEYBOT_IRC_FINGERPRINT": print, "HUBOT_IRC_SERVER_FAKE_SSL": "true"])
                == Fingerprint(print).map { .fingerprint($0) })
    }

    @Test func `a fingerprint can be set for a server that isn't connected to with TLS until it demands that`() throws {
        let print = String(repeating: "ab", count: 32)
        let settings = [
            "HEYBOT_IRC_SERVER": "irc.test", "HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_FINGERPRINT": print
        ]
        let configuration = try read(settings)
        #expect(configuration.tls == nil)
        let trust: TLSOptions.Trust? = configuration.verifiedTLS.trust
        #expect(trust == Fingerprint(print).map { .fingerprint($0) })
        #expect(problems(settings) == [])
    }

    @Test func `the SASL mechanisms can be chosen`() throws {
        let base = ["HEYBOT_IRC_SERVER": "irc.test"]
        let chosen = try read(base.merging(["HEYBOT_IRC_SASL_MECHANISMS": "scram-sha-256, PLAIN"]) { $1 })
        #expect(chosen.session.mechanisms == [.scramSHA256, .plain])
        #expect(try read(base).session.mechanisms.contains(.external))
        let found = problems(base.merging(["HEYBOT_IRC_SASL_MECHANISMS": "PLAIN,MD5"]) { $1 })
        #expect(found.contains { $0.contains("HEYBOT_IRC_SASL_MECHANISMS") && $0.contains("expected SASL mechanisms") })
    }

    @Test func `missing and invalid settings are reported together`() {
        #expect(
            problems([:]) == ["HEYBOT_IRC_SERVER is missing; expected the network's server, such as irc.libera.chat"])
        let found = problems([
            "HEYBOT_IRC_SERVER": "no host", "HEYBOT_IRC_PORT": "70000", "HEYBOT_IRC_ROOMS": "dev",
            "HEYBOT_IRC_NICK": "a b",
            "HEYBOT_IRC_FINGERPRINT": "12", "HEYBOT_IRC_BURST": "0", "HEYBOT_IRC_UNFLOOD": "fast",
            "HEYBOT_IRC_PING_INTERVAL": "-1",
            "HEYBOT_IRC_USESSL": "maybe", "HEYBOT_IRC_CONNECT_COMMAND": "OPER a b\nQUIT"
        ])
        // Each name appears once.
        #expect(found.count == 10, "\(found)")
        #expect(found.contains { $0.hasPrefix("HEYBOT_IRC_ROOMS is invalid; expected channels such as #dev") })
        #expect(found.contains("HEYBOT_IRC_PORT is \"70000\"; expected a number from 1 to 65535"))
        #expect(!found.joined().contains("QUIT"))
    }

    @Test func `a key to log in with, also on one of several networks`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key.pem").path
        let base = ["HEYBOT_IRC_SERVER": "irc.test", "HEYBOT_IRC_SASL_KEY": file, "HEYBOT_IRC_LOGIN_REQUIRED": "true"]
        #expect(problems(base).contains { $0.hasPrefix("HEYBOT_IRC_SASL_KEY: \(file) doesn't exist") })
        for (curve, other) in [
            ("-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n", "no readable private key"),
            (Self.secp384r1, "on the curve secp384r1 instead of one on P-256")
        ] {
            try Data(curve.utf8).write(to: URL(filePath: file))
            #expect(problems(base).contains { $0.hasPrefix("HEYBOT_IRC_SASL_KEY: \(file)") && $0.contains(other) })
        }
        try Data(Self.prime256v1.utf8).write(to: URL(filePath: file))
        #expect(problems(base) == [])
        #expect(try read(base).session.signer?.account == "marvin")
        let named = base.merging(["HEYBOT_IRC_NICKSERV_USERNAME": "marvin-the-robot"]) { $1 }
        #expect(try read(named).session.signer?.account == "marvin-the-robot")
        #expect(
            problems(base.merging(["HEYBOT_IRC_USESASL": "false"]) { $1 }).contains { $0.contains("disables SASL") })
        for (mechanisms, isAllowed) in [("PLAIN", false), ("PLAIN,ecdsa-nist256p-challenge", true)] {
            let found = problems(base.merging(["HEYBOT_IRC_SASL_MECHANISMS": mechanisms]) { $1 })
            #expect(found.contains { $0.contains("doesn't allow ECDSA-NIST256P-CHALLENGE") } != isAllowed)
        }
        #expect(
            problems([
                "HEYBOT_IRC_NETWORKS": "libera,oftc", "HEYBOT_IRC_LIBERA_SERVER": "irc.test",
                "HEYBOT_IRC_OFTC_SERVER": "irc2.test", "HEYBOT_IRC_OFTC_SASL_KEY": "/nowhere.pem"
            ])
            .contains { $0.hasPrefix("HEYBOT_IRC_OFTC_SASL_KEY: /nowhere.pem doesn't exist") })
    }

    // Private keys that were made for these tests.

    private static let prime256v1 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGM8Vnx3W9tmFpso9
        ojOyx4XN44X7+mkzcNfdPPwTlGWhRANCAARZNoRHU/aVPRi+R9iG4yId+RGWq3i/
        e0VXtQBAtRTXOS6MEbR0vVOC/sWTpwQ5dVA8LV6DTIRoAF9VdCA3GwvK
        -----END PRIVATE KEY-----
        """

    private static let secp384r1 = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDBLunCDfjYwsJTTLlYatu11c5w9YcjbL8BjWfjvioS3mIkBabc4K6GZ
        7Q8+vqCYysSgBwYFK4EEACKhZANiAASwDDQj0s4frGWSdPH9n7g3u53ithLc3kOA
        U8ZoKiUnakcURTftTSHgtL/RJxwdgq4JNjPlTHHGQqNMO0CAWAfLiSxR0yIlYOXZ
        5JI6LOSvuHk1NkWLj4xREJFCnFTFul8=
        -----END EC PRIVATE KEY-----
        """

    @Test func `missing files, and settings that can't be combined`() {
        let base = ["HEYBOT_IRC_SERVER": "irc.test"]
        for (name, value) in [("LOGIN_REQUIRED", "true"), ("NICKSERV_USERNAME", "x")] {
            #expect(problems(base.merging(["HEYBOT_IRC_\(name)": value]) { $1 }).count == 1)
        }
        #expect(
            problems(base.merging(["HEYBOT_NAME": "Marvin the Robot"]) { $1 }).contains {
                $0.contains("HEYBOT_IRC_NICK")
            })
        #expect(problems(["HEYBOT_IRC_SERVER": "a:6697,b:6667"]).contains { $0.contains("HEYBOT_IRC_USESSL") })
        #expect(
            problems(base.merging(["HEYBOT_IRC_CA_FILE": "/dev/null/nowhere.pem"]) { $1 }).first?.contains(
                "/dev/null/nowhere.pem") == true)
        #expect(
            problems(base.merging(["HEYBOT_IRC_KEY_FILE": "/k.pem"]) { $1 }).contains { $0.contains("IRC_CERT_FILE") })
        #expect(
            problems(base.merging(["HEYBOT_IRC_USESASL": "true"]) { $1 }).contains { $0.contains("NICKSERV_PASSWORD") })
        #expect(
            problems(base.merging(["HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_CA_FILE": "/x.pem"]) { $1 })
                .contains { $0.contains("disables TLS") })
    }

    @Test(.enabled(if: IRCServer.hasNgircd), .timeLimit(.minutes(15)))
    func `the command joins a real server, answers, and quits on SIGTERM`() async throws {
        let server = try await IRCServer.ngircd(penalties: false)
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366")
        let folder = try TemporaryFolder()
        let command = try CommandRun.start(
            ["-a", "irc", "-n", "marvin"], in: folder.url,
            environment: [
                "HUBOT_IRC_SERVER": "127.0.0.1", "HUBOT_IRC_PORT": "\(server.port)", "HUBOT_IRC_ROOMS": "#dev",
                "HEYBOT_IRC_NICKSERV_PASSWORD": "pencil", "HEYBOT_IRC_LOGIN_TIMEOUT": "0.2", "HEYBOT_IRC_DEBUG": "true"
            ])
        try await ada.expect(":marvin!", "JOIN")
        ada.send("PRIVMSG #dev :marvin: ping")
        try await ada.expect(":marvin!", "PRIVMSG #dev :PONG")
        ada.send("PRIVMSG #dev :marvin help")
        try await ada.expect("PRIVMSG #dev :For example, say \"marvin ")
        ada.send("PRIVMSG #dev :marvin help all")
        try await ada.expect("PRIVMSG ada :Look things up:")
        try await ada.expect("PRIVMSG #dev :ada: I've sent you a direct message.")
        command.kill(15)
        try await ada.expect(":marvin!", "QUIT")
        let run = command.end()
        #expect(run.status == 0)
        #expect(run.errors.contains("level=trace part=irc msg=\"> NICK marvin\""))
        #expect(!run.errors.contains("pencil"))
        await server.stop()
    }
}
