import TestServers
import Testing

/// A channel on ngircd that is relayed with a room on Prosody, with two robots in both.
@Suite(.timeLimit(.minutes(15))) struct RelayTests {
    private static let count = 1_000

    /// Has Marvin relay the rooms.
    private func startRelaying(_ networks: TwoNetworks) async throws {
        try await networks.adaJoins()
        networks.ada.say("marvin: relay here with irc:#dev", in: networks.room)
        try await networks.ada.expect("<body>Ada: OK, I relay ")
        for client in [networks.bob, networks.dave] { try await client.expect("PRIVMSG #dev :From now on I relay ") }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `a thousand lines each way come once and in order`() async throws {
        try await TwoNetworks.run(besides: ["vera"]) { networks in
            let (bob, dave, ada, carol) = (networks.bob, networks.dave, networks.ada, networks.carol)
            try await startRelaying(networks)
            for number in 0..<Self.count {
                bob.send("PRIVMSG #dev :i\(number)")
                ada.say("x\(number)", in: networks.room)
                guard number % 20 == 19 else { continue }
                _ = try await dave.expect { $0.hasPrefix(":marvin!") && $0.hasSuffix(" x\(number)") }
                _ = try await carol.expect {
                    $0.contains("\(networks.room)/marvin") && $0.contains(" i\(number)</body>")
                }
            }
            let onIRC = dave.received.filter { $0.hasPrefix(":marvin!") }
                .flatMap { $0.matches(of: /[ ]x([0-9]+)/).compactMap { Int($0.1) } }
            #expect(onIRC == Array(0..<Self.count))
            let onXMPP = carol.received.filter { $0.contains("\(networks.room)/marvin") }
                .flatMap { $0.matches(of: /[ ]i([0-9]+)/).compactMap { Int($0.1) } }
            #expect(onXMPP == Array(0..<Self.count))
            #expect(dave.received.filter { $0.hasPrefix(":vera!") && $0.contains("PRIVMSG") } == [])
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
