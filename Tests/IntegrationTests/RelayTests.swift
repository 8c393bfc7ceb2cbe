import TestServers
import Testing

/// A channel on ngircd that is relayed with a room on Prosody, with two robots in both.
@Suite(.timeLimit(.minutes(15))) struct RelayTests {
    private static let count = 1_000

    /// Has Marvin relay the rooms.
    private func startRelaying(_ networks: TwoNetworks) async throws {
        try await networks.adaJoins()
        networks.ada.say("marvin: relay here with irc:#dev", in: networks.room)
        try await networks.ada.expect("<body>Ada: OK, from now on I relay ")
        for client in [networks.bob, networks.dave] { try await client.expect("PRIVMSG #dev :From now on I relay ") }
    }

    /// Says a thousand lines on each side, and checks that each of these robots has shown all of them once and in order.
    private func exchangeLines(_ networks: TwoNetworks, by robots: [String]) async throws {
        let (bob, dave, ada, carol) = (networks.bob, networks.dave, networks.ada, networks.carol)
        var marks = (irc: dave.received.count, xmpp: carol.received.count)
        for number in 0..<Self.count {
            bob.send("PRIVMSG #dev :i\(number)")
            ada.say("x\(number)", in: networks.room)
            guard number % 20 == 19 else { continue }
            for name in robots {
                _ = try await dave.find("x\(number) by \(name)", since: marks.irc) {
                    $0.hasPrefix(":\(name)!") && $0.hasSuffix(" x\(number)")
                }
                _ = try await carol.find("i\(number) by \(name)", since: marks.xmpp) {
                    $0.contains("\(networks.room)/\(name)") && $0.contains(" i\(number)</body>")
                }
            }
            marks = (dave.received.count, carol.received.count)
        }
        for name in robots {
            let onIRC = dave.received.filter { $0.hasPrefix(":\(name)!") }
                .flatMap { $0.matches(of: /[ ]x([0-9]+)/).compactMap { Int($0.1) } }
            #expect(onIRC == Array(0..<Self.count))
            let onXMPP = carol.received.filter { $0.contains("\(networks.room)/\(name)") }
                .flatMap { $0.matches(of: /[ ]i([0-9]+)/).compactMap { Int($0.1) } }
            #expect(onXMPP == Array(0..<Self.count))
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `a thousand lines each way come once and in order`() async throws {
        try await TwoNetworks.run(besides: ["vera"]) { networks in
            try await startRelaying(networks)
            try await exchangeLines(networks, by: ["marvin"])
            #expect(networks.dave.received.filter { $0.hasPrefix(":vera!") && $0.contains("PRIVMSG") } == [])
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `two robots that relay the same rooms make no loop: each shows each line once, and in order`() async throws {
        try await TwoNetworks.run(besides: ["vera"]) { networks in
            try await startRelaying(networks)
            networks.ada.say("vera: relay here with irc:#dev", in: networks.room)
            _ = try await networks.dave.find("Vera's announcement", since: 0) {
                $0.hasPrefix(":vera!") && $0.contains("PRIVMSG #dev :From now on I relay ")
            }
            _ = try await networks.carol.find("Vera's answer", since: 0) {
                $0.contains("\(networks.room)/vera") && $0.contains("OK, from now on I relay ")
            }
            // Vera's relay begins after her answer.
            networks.ada.say("x-ray", in: networks.room)
            for name in ["marvin", "vera"] {
                _ = try await networks.dave.find("x-ray by \(name)", since: 0) {
                    $0.hasPrefix(":\(name)!") && $0.hasSuffix(" x-ray")
                }
            }
            try await exchangeLines(networks, by: ["marvin", "vera"])
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `a command is answered where it was given, and no robot obeys what is relayed`() async throws {
        try await TwoNetworks.run(besides: ["vera"]) { networks in
            let (bob, dave, ada, carol, room) = (
                networks.bob, networks.dave, networks.ada, networks.carol, networks.room
            )
            try await startRelaying(networks)
            bob.send("PRIVMSG #dev :vera: ping")
            try await dave.expect(":vera!", "PONG")
            try await carol.expect("\(room)/marvin", "vera: ping</body>")
            try await carol.expect("\(room)/marvin", "PONG</body>")
            // Vera counts it on XMPP, and not on IRC, where it is relayed.
            ada.say("swift++", in: room)
            try await dave.expect(":marvin!", "swift++")
            try await dave.expect(":marvin!", "swift now has 1.")
            bob.send("PRIVMSG #dev :swift++")
            try await dave.expect(":vera!", "swift now has 2.")

            ada.say("marvin: stop relaying here", in: room)
            try await dave.expect("PRIVMSG #dev :I don't relay xmpp:\(room) any more (Ada).")
        }
    }
}
