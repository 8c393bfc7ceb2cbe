import Foundation
import TestServers
import Testing

/// Tests of `heybot check` with real XMPP servers.
@Suite(.blocking, .enabled(if: !XMPPServer.Software.installed.isEmpty), .timeLimit(.minutes(15)))
struct XMPPCheckTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func environment(_ server: XMPPServer, rooms: String = "", _ more: [String: String] = [:]) -> [String:
        String]
    {
        [
            "HEYBOT_XMPP_USERNAME": "marvin@xmpp.test/robot", "HEYBOT_XMPP_PASSWORD": "pencil",
            "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_PORT": "\(server.port)", "HEYBOT_NAME": "marvin",
            "HEYBOT_XMPP_CA_FILE": server.caFile ?? "", "HEYBOT_XMPP_ROOMS": rooms, "HEYBOT_DEADLINE": "600"
        ].merging(more) { $1 }
    }

    private func check(_ environment: [String: String]) async throws -> CommandRun {
        try await CommandRun.check(["-a", "xmpp"], in: home, environment: environment)
    }

    /// Prosody 0.12 and ejabberd 23.01 don't announce how they bind logins; later versions do.
    @Test(arguments: XMPPServer.Software.installed) func `the login is bound if the server announces how`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let client = try XMPPTestClient(tlsPort: try #require(server.tlsPort), caFile: try #require(server.caFile))
        let features = try await client.openStream()
        let isBound = features.contains("tls-exporter") || features.contains("tls-server-end-point")
        let good = try await check(environment(server))
        let login = good.row("xmpp", "login")
        #expect(
            login?.words.hasSuffix(", by SCRAM-SHA-256\(isBound ? "-PLUS" : "")") == true,
            "\(good.output) at a server that offers \(features)")
        await server.stop()
    }

    @Test(arguments: XMPPServer.Software.installed) func `a valid configuration, and rooms that refuse the robot`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let ada = try await server.person("ada")
        let (dev, vault, club) = (server.room("dev"), server.room("vault"), server.room("club"))
        for room in [dev, vault, club] { try await ada.join(room, as: "Ada") }
        try await ada.setPassword("sesame", of: vault)
        try await ada.setMembersOnly(true, of: club)

        let good = try await check(environment(server, rooms: "\(dev),\(vault):sesame"))
        let reached = good.row("xmpp", "127.0.0.1:\(server.port)")
        #expect(reached?.words.hasPrefix("connected to 127.0.0.1:\(server.port), TLS 1.") == true, "\(good.output)")
        let login = good.row("xmpp", "login")
        #expect(login?.words.contains(/^as marvin@xmpp.test\/.*, by SCRAM-SHA-/) == true, "\(good.output)")
        for room in [dev, vault] { #expect(good.row("xmpp", room) == CheckRow("ok", "joined"), "\(good.output)") }
        #expect(good.errors == "")
        #expect(good.status == 0)
        try await ada.expect("<presence", "\(dev)/marvin", "unavailable")

        let nowhere = "cellar@nowhere.xmpp.test"
        let bad = try await check(environment(server, rooms: "\(dev),\(vault):simsalabim,\(club),\(nowhere)"))
        #expect(bad.row("xmpp", dev)?.mark == "ok")
        for (room, fix) in [
            (vault, "correct the password after \(vault) in HEYBOT_XMPP_ROOMS"),
            (club, "ask an admin of the room to add the robot as a member"),
            (nowhere, "address in HEYBOT_XMPP_ROOMS")
        ] {
            #expect(bad.row("xmpp", room)?.mark == "FAIL", "\(bad.output)")
            #expect(bad.row("xmpp", room)?.fix?.contains(fix) == true, "\(bad.output)")
        }
        for secret in ["pencil", "simsalabim"] { #expect(!(bad.output + bad.errors).contains(secret)) }
        #expect(bad.status == 1)
        await server.stop()
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `wrong password, untrusted certificate, and closed port`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let wrong = try await check(environment(server, ["HEYBOT_XMPP_PASSWORD": "hemmelig"]))
        let login = wrong.row("xmpp", "login")
        #expect(
            login?.words.contains(/^the server rejected the account or its password \([^()]*\)$/) == true,
            "\(wrong.output)")
        #expect(login?.fix == "check HEYBOT_XMPP_USERNAME and HEYBOT_XMPP_PASSWORD")
        #expect(wrong.row("xmpp", "127.0.0.1:\(server.port)")?.mark == "ok")
        #expect(!(wrong.output + wrong.errors).contains("hemmelig"))
        #expect(wrong.status == 1)
        let unknown = try await check(environment(server, ["HEYBOT_XMPP_CA_FILE": ""]))
        #expect(
            unknown.output.contains(
                "is signed by an unknown authority\n                → if the server is your own, set HEYBOT_XMPP_CA_FILE"
            ))
        #expect(unknown.status == 1)
        await server.stop()
        // At 127.0.0.1, the server of another test may have got the port by now.
        let closed = try await check(environment(server, ["HEYBOT_XMPP_HOST": "127.0.0.9"]))
        #expect(
            closed.output.contains(
                "can't be reached (connection refused)\n                → check HEYBOT_XMPP_HOST and HEYBOT_XMPP_PORT"))
        #expect(closed.status == 1)
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `nothing is sent to a server without TLS`() async throws {
        let server = try await XMPPServer.start(.prosody, tls: .none)
        let run = try await check(environment(server, ["HEYBOT_XMPP_CA_FILE": ""]))
        #expect(
            run.output.contains(
                "FAIL  xmpp      127.0.0.1:\(server.port)  the server offers no TLS, so the robot doesn't log in\n"),
            "\(run.output)")
        #expect(run.output.contains("set HEYBOT_XMPP_DISALLOW_TLS=true\n"))
        #expect(run.status == 1)
        await server.stop()
    }

    @Test(arguments: XMPPServer.Software.installed) func `a running robot stays and answers`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        let environment = environment(server, rooms: room, ["HEYBOT_XMPP_PING_TIMEOUT": "600"])
        let robot = try CommandRun.start(["-a", "xmpp"], in: home.url, environment: environment)
        defer { if robot.isRunning { robot.kill(SIGKILL) } }
        robot.waitForError("in \(room)")
        let run = try await check(environment)
        #expect(run.output.contains("ok    robot     a robot is running with this data; the check didn't disturb it\n"))
        #expect(run.status == 0, "\(run.output)")
        ada.say("marvin: ping", in: room)
        try await ada.expect("<body>PONG</body>")
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        for problem in ["reconnecting in", "somebody else", "no longer in"] {
            #expect(!robot.errors.contains(problem))
        }
        await server.stop()
    }
}
