import Foundation
import HeybotTesting
import TestServers
import Testing

/// A robot in a package of its own, which imports only products; Tests/NewBots/run builds it.
@Suite(.timeLimit(.minutes(15))) struct OutsidePackageTests {
    private static let program = ProcessInfo.processInfo.environment["TEST_OUTSIDE_PACKAGE"]

    @Test(
        .enabled(if: program != nil),
        .enabled(if: IRCServer.hasNgircd && XMPPServer.Software.prosody.isInstalled))
    func `a robot outside of this package answers on two IRC networks and an XMPP server`() async throws {
        let (one, two) = (try await IRCServer.ngircd(), try await IRCServer.ngircd())
        let xmpp = try await XMPPServer.start(.prosody)
        try await xmpp.register(account: "marvin", password: "pencil")
        let (room, folder) = (xmpp.room("dev"), try ScratchFolder())
        let robot = try ChildProcess(
            [
                try #require(Self.program), "\(one.port)", "\(two.port)", "\(xmpp.port)", try #require(xmpp.caFile),
                room,
                folder.path("brain.sqlite")
            ], isServer: false)
        let ada = try await xmpp.person("ada")
        try await ada.join(room, as: "Ada")
        var count = 0
        for (server, channel) in [(one, "#dev"), (two, "#ops")] {
            let bob = try RawIRCClient(port: server.port)
            _ = try await bob.register("bob")
            bob.send("JOIN \(channel)")
            // It may join before or after.
            try await bob.expect("marvin")
            bob.send("PRIVMSG \(channel) :marvin: count")
            count += 1
            try await bob.expect("PRIVMSG \(channel) :that makes \(count)")
        }
        try await ada.expect("<presence", "from='\(room)/marvin'")
        ada.say("marvin: count", in: room)
        try await ada.expect("<body>that makes 3</body>")
        await robot.stop()
    }
}
