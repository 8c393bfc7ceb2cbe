import Foundation
import TestServers
import Testing

/// `heybot check` of XMPP, at real servers.
@Suite(.enabled(if: !XMPPServer.Software.installed.isEmpty), .timeLimit(.minutes(15))) struct XMPPCheckTests {
    private let home: Folder

    init() throws { home = try Folder() }

    private func environment(_ server: XMPPServer, rooms: String = "", _ more: [String: String] = [:]) -> [String:
        String]
    {
        [
            "HEYBOT_XMPP_USERNAME": "marvin@xmpp.test/robot", "HEYBOT_XMPP_PASSWORD": "pencil",
            "HEYBOT_XMPP_HOST": "127.0.0.1", "HEYBOT_XMPP_PORT": "\(server.port)", "HEYBOT_NAME": "marvin",
            "HEYBOT_XMPP_CA_FILE": server.caFile ?? "", "HEYBOT_XMPP_ROOMS": rooms
        ].merging(more) { $1 }
    }

    private func check(_ environment: [String: String]) async throws -> Run {
        try await Run.check(["-a", "xmpp"], in: home, environment: environment)
    }

    @Test(arguments: XMPPServer.Software.installed) func `a set-up where all is well, and rooms that don't let it in`(
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
        for (room, cure) in [
            (vault, "correct what is behind \(vault) in HEYBOT_XMPP_ROOMS"),
            (club, "have an admin of the room make the robot's address a member"),
            (nowhere, "check its address in HEYBOT_XMPP_ROOMS")
        ] {
            #expect(bad.row("xmpp", room)?.mark == "FAIL", "\(bad.output)")
            #expect(bad.row("xmpp", room)?.cure?.contains(cure) == true, "\(bad.output)")
        }
        for secret in ["pencil", "simsalabim"] { #expect(!(bad.output + bad.errors).contains(secret)) }
        #expect(bad.status == 1)
        await server.stop()
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `a wrong password, a certificate of nobody we know, and a closed port`() async throws {
        let server = try await XMPPServer.start(.prosody)
        try await server.register(account: "marvin", password: "pencil")
        let wrong = try await check(environment(server, ["HEYBOT_XMPP_PASSWORD": "hemmelig"]))
        let login = wrong.row("xmpp", "login")
        #expect(
            login?.words.contains(/^the server refuses the account or its password \([^()]*\)$/) == true,
            "\(wrong.output)")
        #expect(login?.cure == "check HEYBOT_XMPP_USERNAME and HEYBOT_XMPP_PASSWORD")
        #expect(wrong.row("xmpp", "127.0.0.1:\(server.port)")?.mark == "ok")
        #expect(!(wrong.output + wrong.errors).contains("hemmelig"))
        #expect(wrong.status == 1)
        let unknown = try await check(environment(server, ["HEYBOT_XMPP_CA_FILE": ""]))
        #expect(
            unknown.output.contains(
                "is signed by nobody we know\n                → where it is your own, set HEYBOT_XMPP_CA_FILE"))
        #expect(unknown.status == 1)
        await server.stop()
        let closed = try await check(environment(server))
        #expect(
            closed.output.contains(
                "can't be reached (connection refused)\n                → check HEYBOT_XMPP_HOST and HEYBOT_XMPP_PORT"))
        #expect(closed.status == 1)
    }

    @Test(.enabled(if: XMPPServer.Software.prosody.isInstalled))
    func `a server without TLS is told nothing`() async throws {
        let server = try await XMPPServer.start(.prosody, tls: .none)
        let run = try await check(environment(server, ["HEYBOT_XMPP_CA_FILE": ""]))
        #expect(
            run.output.contains(
                "FAIL  xmpp      127.0.0.1:\(server.port)  the server offers no TLS, so nothing is told to it\n"),
            "\(run.output)")
        #expect(run.output.contains("set HEYBOT_XMPP_DISALLOW_TLS=true\n"))
        #expect(run.status == 1)
        await server.stop()
    }

    @Test(arguments: XMPPServer.Software.installed) func `a robot that is live stays, and hears what is said to it`(
        _ software: XMPPServer.Software
    ) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "marvin", password: "pencil")
        let room = server.room("dev")
        let ada = try await server.person("ada")
        try await ada.join(room, as: "Ada")
        let environment = environment(server, rooms: room)
        let robot = try Run.start(["-a", "xmpp"], in: home.url, environment: environment)
        defer { if robot.isRunning { robot.kill(SIGKILL) } }
        robot.waitForError("in \(room)")
        let run = try await check(environment)
        #expect(run.output.contains("ok    robot     one runs with this data, and was left alone\n"))
        #expect(run.status == 0, "\(run.output)")
        ada.say("marvin: ping", in: room)
        try await ada.expect("<body>PONG</body>")
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
        for trouble in ["connecting again", "somebody else", "no longer in"] {
            #expect(!robot.errors.contains(trouble))
        }
        await server.stop()
    }
}
