import Foundation
import TestServers
import Testing

/// Tests of `heybot check` with real IRC servers.
@Suite(.blocking, .enabled(if: IRCServer.hasInspIRCd && IRCServer.hasServices), .timeLimit(.minutes(15)))
struct IRCCheckTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func check(_ server: String, _ environment: [String: String] = [:]) async throws -> CommandRun {
        let all = [
            "HEYBOT_IRC_SERVER": server, "HEYBOT_NAME": "marvin", "HEYBOT_IRC_USESSL": "false",
            "HEYBOT_DEADLINE": "600"
        ]
        return try await CommandRun.check(["-a", "irc"], in: home, environment: all.merging(environment) { $1 })
    }

    /// The password of the account that the tests register.
    private let account = ["HEYBOT_IRC_NICKSERV_PASSWORD": "pencil"]

    @Test func `a valid configuration`() async throws {
        let server = try await IRCServer.inspircd(services: true, tls: .good)
        try await server.register(account: "marvin", password: "pencil")
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev,#vault", "OPER oper oper", "SAMODE #vault +o ada")
        try await ada.expect("MODE #vault +o")
        ada.send("MODE #vault +k sesame")
        try await ada.expect("MODE #vault +k")
        let port = try #require(server.tlsPort)
        let run = try await check(
            "localhost:\(port)",
            account.merging([
                "HEYBOT_IRC_USESSL": "true", "HEYBOT_IRC_CA_FILE": server.caFile ?? "",
                "HEYBOT_IRC_ROOMS": "#dev,#vault sesame,#new"
            ]) { $1 })
        #expect(run.output.contains("ok    irc       localhost:\(port)  connected to 127.0.0.1:\(port), TLS 1."))
        #expect(run.output.contains("certificate for irc.test, localhost, 127.0.0.1, which expires in 29 days\n"))
        for (subject, words) in [
            ("login", "as marvin, by PLAIN"), ("nick", "marvin"), ("#dev", "joined"), ("#vault", "joined"),
            ("#new", "joined; nobody else is there")
        ] { #expect(run.row("irc", subject) == CheckRow("ok", words), "\(run.output)") }
        #expect(!run.output.contains("sesame") && !run.output.contains("pencil"))
        #expect(run.errors == "")
        #expect(run.status == 0, "\(run.output)")
        try await ada.expect(":marvin!", "QUIT")
        await server.stop()
    }

    @Test func `wrong password, wrong or missing key, invite-only channel, and ban`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("OPER oper oper")
        for (channel, mode) in [("#vault", "+k sesame"), ("#club", "+i"), ("#away", "+b marvin!*@*")] {
            ada.send("JOIN \(channel)", "SAMODE \(channel) +o ada")
            try await ada.expect("MODE \(channel) +o")
            ada.send("MODE \(channel) \(mode)")
            try await ada.expect("MODE \(channel)", "\(mode.prefix(2))")
        }
        let run = try await check(
            "127.0.0.1:\(server.port)",
            ["HEYBOT_IRC_NICKSERV_PASSWORD": "hemmelig", "HEYBOT_IRC_ROOMS": "#dev,#vault simsalabim,#club,#away"])
        for (subject, fix) in [
            ("login", "check HEYBOT_IRC_NICKSERV_USERNAME and HEYBOT_IRC_NICKSERV_PASSWORD"),
            ("#vault", "correct the key of #vault in HEYBOT_IRC_ROOMS"),
            ("#club", "ask a channel operator to add an invite exception: /mode #club +I marvin!*@*"),
            ("#away", "ask a channel operator to lift the ban")
        ] {
            #expect(run.row("irc", subject)?.mark == "FAIL", "\(run.output)")
            #expect(run.row("irc", subject)?.fix?.hasPrefix(fix) == true, "\(run.output)")
        }
        #expect(run.row("irc", "#dev")?.mark == "ok")
        for secret in ["hemmelig", "simsalabim", "sesame"] { #expect(!(run.output + run.errors).contains(secret)) }
        #expect(run.status == 1)
        let keyless = try await check("127.0.0.1:\(server.port)", ["HEYBOT_IRC_ROOMS": "#vault"])
        #expect(keyless.output.contains("→ the channel has a key: write `#vault key` in HEYBOT_IRC_ROOMS\n"))
        await server.stop()
    }

    @Test func `certificates with another name, an unknown issuer, expired, or expiring soon`() async throws {
        for (certificate, mark, words, fix) in [
            (
                ServerCertificate.wrongName, "FAIL", "its certificate is for elsewhere.test, not localhost",
                "set HEYBOT_IRC_SERVER to a name that the certificate is for"
            ),
            (.expired, "FAIL", "its certificate has expired", "ask the server's owner to renew the certificate"),
            (.short, "warn", "which expires in 1 day", "ask the server's owner to renew the certificate")
        ] {
            let server = try await IRCServer.ngircd(tls: certificate)
            let port = try #require(server.tlsPort)
            let environment = ["HEYBOT_IRC_USESSL": "true", "HEYBOT_IRC_CA_FILE": server.caFile ?? ""]
            let run = try await check("localhost:\(port)", environment)
            #expect(run.output.contains("\(mark)  irc       localhost:\(port)  "), "\(run.output)")
            #expect(run.output.contains(words), "\(run.output)")
            #expect(run.output.contains("                → \(fix)"), "\(run.output)")
            #expect(run.status == (mark == "FAIL" ? 1 : 0))
            if certificate == .short {
                let unknown = try await check("localhost:\(port)", ["HEYBOT_IRC_USESSL": "true"])
                #expect(
                    unknown.output.contains(
                        "is signed by an unknown authority\n                → if the server is your own, set HEYBOT_IRC_CA_FILE"
                    ))
                let plain = try await check("localhost:\(server.port)", ["HEYBOT_IRC_USESSL": "true"])
                #expect(
                    plain.row("irc", "localhost:\(server.port)")?.fix
                        == "check that the server speaks TLS on the port set by HEYBOT_IRC_PORT; if it doesn't support TLS, set "
                        + "HEYBOT_IRC_USESSL=false")
            }
            await server.stop()
        }
    }

    @Test func `each server is tried: unknown host, closed port, and a valid one`() async throws {
        let server = try await IRCServer.ngircd()
        // No test's server listens at this address.
        let closed = "127.0.0.9:\(try Port.free())"
        let run = try await check("irc.nowhere.invalid:6667,\(closed),127.0.0.1:\(server.port)")
        #expect(
            run.output.contains(
                """
                FAIL  irc       irc.nowhere.invalid:6667  can't resolve irc.nowhere.invalid
                                → check HEYBOT_IRC_SERVER, and that name servers can be reached
                skip  irc       login, rooms              no connection

                """))
        let place = closed.padding(toLength: 24, withPad: " ", startingAt: 0)
        #expect(
            run.output.contains(
                """
                FAIL  irc       \(place)  can't be reached (connection refused)
                                → check HEYBOT_IRC_SERVER and HEYBOT_IRC_PORT, and that the server is up

                """))
        #expect(run.output.contains("ok    irc       127.0.0.1:\(server.port)"))
        #expect(run.status == 1)
        await server.stop()
    }

    @Test func `a server with a server password`() async throws {
        let server = try await IRCServer.ngircd(password: "sesame")
        let run = try await check("127.0.0.1:\(server.port)", ["HEYBOT_IRC_ROOMS": "#dev"])
        #expect(run.output.contains("FAIL  irc       login  "), "\(run.output)")
        #expect(run.output.contains("set HEYBOT_IRC_PASSWORD"), "\(run.output)")
        #expect(run.status == 1)
        await server.stop()
    }

    @Test func `a running robot keeps its nick and its room`() async throws {
        let server = try await IRCServer.inspircd(services: true)
        try await server.register(account: "marvin", password: "pencil")
        let environment = account.merging([
            "HEYBOT_IRC_SERVER": "127.0.0.1:\(server.port)", "HEYBOT_NAME": "marvin", "HEYBOT_IRC_ROOMS": "#dev",
            "HEYBOT_IRC_PING_TIMEOUT": "600"
        ]) { $1 }
        let ada = try RawIRCClient(port: server.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366 ada #dev")
        let robot = try CommandRun.start(["-a", "irc"], in: home.url, environment: environment)
        defer { if robot.isRunning { robot.kill(SIGKILL) } }
        try await ada.expect(":marvin!", "JOIN", "#dev")
        let run = try await check("127.0.0.1:\(server.port)", environment)
        #expect(run.output.contains("ok    robot     a robot is running with this data; the check didn't disturb it\n"))
        #expect(
            run.output.contains(
                "marvin is in use, perhaps by the running robot; this check uses marvin_\n"))
        #expect(run.status == 0, "\(run.output)")
        try await ada.expect(":marvin_!", "QUIT")
        ada.send("PRIVMSG #dev :marvin: ping")
        try await ada.expect(":marvin!", "PRIVMSG #dev :PONG")
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        #expect(!robot.errors.contains("reconnecting in"))
        await server.stop()
    }
}
