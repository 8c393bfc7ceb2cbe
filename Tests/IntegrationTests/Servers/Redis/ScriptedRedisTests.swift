import TestServers
import Testing

/// The scripted server.
@Suite(.timeLimit(.minutes(15))) struct ScriptedRedisTests {
    /// Returns a server and a connected client.
    private func pair() async throws -> (ScriptedRedis, ScriptedConnection, AcceptedRedisClient) {
        let server = try ScriptedRedis()
        let client = try ScriptedConnection(connectingTo: server.port)
        return (server, client, try await server.accept())
    }

    @Test func `commands are received in order, at once or in pieces`() async throws {
        let (_, client, accepted) = try await pair()
        client.sendRaw("*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$4\r\nping\r\n*3\r\n$3\r\nSE".utf8)
        try await accepted.expectCommand("get", "a")
        #expect(try await accepted.command() == [Array("ping".utf8)])
        for byte in "T\r\n$1\r\na\r\n$2\r\n\r".utf8 { client.sendRaw([byte]) }
        client.sendRaw("\n\r\n".utf8)
        #expect(try await accepted.command() == ["SET", "a", "\r\n"].map { Array($0.utf8) })
    }

    @Test func `binary data is unchanged`() async throws {
        let (_, client, accepted) = try await pair()
        let bytes: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
        client.sendRaw(
            "*3\r\n$3\r\nSET\r\n$2\r\n".utf8 + [0, 0xff] + "\r\n$\(bytes.count)\r\n".utf8 + bytes + "\r\n".utf8)
        #expect(try await accepted.command() == [Array("SET".utf8), [0, 0xff], bytes])
        accepted.reply(.bulk([0x00, 0x0a, 0x22]))
        try await client.expect("$3")
        #expect(try await client.next() == "\0")
        #expect(try await client.next() == "\"")
    }

    @Test(arguments: [["GET", "b"], ["GET"], ["GET", "a", "b"], ["SET", "a"], ["GET", "A"]])
    func `an unexpected command is an error`(_ wanted: [String]) async throws {
        let (_, client, accepted) = try await pair()
        client.sendRaw("*2\r\n$3\r\nGET\r\n$1\r\na\r\n".utf8)
        await #expect {
            switch wanted.count {
            case 1: try await accepted.expectCommand(wanted[0])
            case 2: try await accepted.expectCommand(wanted[0], wanted[1])
            default: try await accepted.expectCommand(wanted[0], wanted[1], wanted[2])
            }
        } throws: {
            "\($0)".hasSuffix(#"was to come, but this came: "GET" "a""#)
        }
    }

    @Test func `invalid input is refused`() async throws {
        let (_, client, accepted) = try await pair()
        client.send("PING")
        await #expect { try await accepted.command() } throws: {
            "\($0)".contains(#"no Redis command: "PING\x0d\x0a""#)
        }
        accepted.reply(.error("ERR Protocol error"))
        accepted.close()
        try await client.expect("-ERR Protocol error")
        try await client.expectEnd()
    }

    @Test(arguments: [
        (AcceptedRedisClient.Reply.ok, "+OK\r\n"), (.status("QUEUED"), "+QUEUED\r\n"),
        (.error("ERR no"), "-ERR no\r\n"),
        (.integer(-3), ":-3\r\n"), (.bulk(nil), "$-1\r\n"), (.bulk([]), "$0\r\n\r\n"),
        (.text("é\r\n"), "$4\r\né\r\n\r\n"),
        (.array(nil), "*-1\r\n"), (.array([.ok, .array([]), .text("a")]), "*3\r\n+OK\r\n*0\r\n$1\r\na\r\n")
    ])
    func `replies are sent as Redis sends them`(_ reply: AcceptedRedisClient.Reply, _ sent: String) {
        #expect(String(decoding: reply.bytes, as: UTF8.self) == sent)
    }

    @Test func `the beginning is answered automatically`() async throws {
        let (_, client, accepted) = try await pair()
        async let first = accepted.welcome(until: "get", answers: ["SELECT": .error("ERR not here")])
        for (words, lines) in [
            (["AUTH", "secret"], ["+OK"]), (["client", "SETNAME", "x"], ["+OK"]), (["ping"], ["+PONG"]),
            (["INFO", "replication"], ["$0", ""]), (["ROLE"], ["*3", "$6", "master", ":0", "*0"]),
            (["Select", "1"], ["-ERR not here"])
        ] {
            client.sendRaw(("*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()).utf8)
            for line in lines { #expect(try await client.next() == line) }
        }
        client.sendRaw("*2\r\n$3\r\nGeT\r\n$1\r\na\r\n".utf8)
        #expect(try await first == [Array("GeT".utf8), Array("a".utf8)])
        // The test replies itself.
        accepted.reply(.bulk(nil))
        #expect(try await client.next() == "$-1")
        async let last = accepted.welcome(until: "QUIT", answers: ["PING": .error("LOADING")])
        client.sendRaw("*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nQUIT\r\n".utf8)
        #expect(try await client.next() == "-LOADING")
        #expect(try await last == [Array("QUIT".utf8)])
        accepted.reset()
        try await client.expectEnd()
    }

    @Test(.enabled(if: RedisServer.isInstalled))
    func `redis-cli accepts the replies`() async throws {
        let server = try ScriptedRedis()
        let folder = try ScratchFolder()
        async let said = ChildProcess.run(
            ["env", "REDISCLI_AUTH=secret", "redis-cli", "-n", "3", "-p", "\(server.port)", "HGETALL", "a b"],
            in: folder)
        let accepted = try await server.accept()
        let command = try await accepted.welcome(until: "HGETALL")
        #expect(command == ["HGETALL", "a b"].map { Array($0.utf8) })
        #expect(accepted.received.prefix(2) == [#""AUTH" "secret""#, #""SELECT" "3""#])
        accepted.reply(.array([.text("key"), .text("value")]))
        #expect(try await said == "key\nvalue\n")
    }
}
