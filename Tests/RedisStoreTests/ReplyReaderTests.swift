import Foundation
import HeybotTesting
import TestServers
import Testing

@testable import RedisStore

@Suite struct ReplyReaderTests {
    /// Returns all replies in a text, fed at once or byte by byte.
    private func read(_ text: String, in pieces: Int? = nil, _ limits: ReplyReader.Limits = .init()) throws -> [Reply] {
        let reader = try ReplyReader(limits)
        var rest = Array(text.utf8)[...]
        var replies: [Reply] = []
        while !rest.isEmpty {
            let piece = rest.prefix(pieces ?? rest.count)
            rest = rest.dropFirst(piece.count)
            try reader.feed(piece)
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    @Test(arguments: [nil, 1, 3]) func `every kind of reply`(_ pieces: Int?) throws {
        let text =
            "+OK\r\n:-42\r\n$5\r\na\r\nb\0\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n*3\r\n:1\r\n*2\r\n+x\r\n$1\r\ny\r\n$-1\r\n-ERR no\r\n"
        #expect(
            try read(text, in: pieces) == [
                .status("OK"), .integer(-42), .text(Array("a\r\nb\0".utf8)), .text([]), .nothing, .nothing, .array([]),
                .array([.integer(1), .array([.status("x"), .text([121])]), .nothing]), .error(RedisErrorReply("ERR no"))
            ])
    }

    @Test(arguments: [
        "hello\r\n", "%1\r\n+a\r\n+b\r\n", ",1.5\r\n", "*99999999999\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n+x\r\n",
        "$-2\r\n", ":x\r\n", "_\r\n", ">1\r\n+x\r\n", "#t\r\n"
    ]) func `invalid protocol input is an error`(_ text: String) {
        #expect(throws: ReplyReader.ProtocolError.self) { try read(text) }
    }

    @Test func `a huge announced array is refused without allocating it`() {
        #expect(throws: ReplyReader.ProtocolError.tooLong) { try read("*2147483647\r\n") }
        #expect(throws: ReplyReader.ProtocolError.tooLong) { try read("*1048577\r\n+a\r\n") }
    }

    @Test func `a string over the limit is refused before it is complete`() throws {
        let reader = try ReplyReader(.init(textBytes: 1_000))
        try reader.feed(Array("$999999999\r\n".utf8)[...])
        #expect(throws: ReplyReader.ProtocolError.tooLong) {
            for _ in 0..<5 {
                try reader.feed([UInt8](repeating: 7, count: 500)[...])
                #expect(try reader.next() == nil)
            }
        }
    }

    @Test func `the total size is limited per reply`() throws {
        let limits = ReplyReader.Limits(bytes: 10, parts: 4)
        let text = "*2\r\n$5\r\naaaaa\r\n$5\r\nbbbbb\r\n"
        #expect(try read(text + text, limits).count == 2)
        #expect(throws: ReplyReader.ProtocolError.self) { try read("*2\r\n$5\r\naaaaa\r\n$6\r\nbbbbbb\r\n", limits) }
        #expect(throws: ReplyReader.ProtocolError.self) { try read("*3\r\n*1\r\n+a\r\n*1\r\n+a\r\n+a\r\n", limits) }
    }

    @Test func `an incomplete or invalid reply is freed`() throws {
        let before = residentMemory()
        let text = "*9\r\n$200000\r\n\(String(repeating: "x", count: 200_000))\r\n"
        for _ in 0..<2_000 {
            _ = try? read(text + "*2\r\n+a\r\n")
            _ = try? read(text + "broken\r\n")
        }
        // Kept, they would take 800 MB; other tests need memory too.
        #expect(residentMemory() - before < 400_000)
    }

    /// Many rounds with `bin/test --soak`.
    @Test func `no input makes the reader trap`() throws {
        var generator = SeededGenerator(seed: 7)
        let seeds = [
            "*3\r\n$3\r\nabc\r\n:12\r\n*1\r\n$-1\r\n", "+OK\r\n-ERR x\r\n", "$12\r\nhello world!\r\n",
            "*2\r\n*2\r\n+a\r\n+b\r\n*0\r\n"
        ].map { Array($0.utf8) }
        let strange = Array("*$+-:%,_#>\r\n0123456789\0".utf8)
        let rounds = Soak.rounds(10_000, soak: 1_000_000)
        for _ in 0..<rounds {
            var bytes = (0...generator.below(2)).flatMap { _ in generator.pick(seeds) }
            for _ in 0..<generator.below(4) { bytes[generator.below(bytes.count)] = generator.pick(strange) }
            let reader = try ReplyReader()
            // Whatever the reader reports.
            do {
                while !bytes.isEmpty {
                    let count = min(1 + generator.below(9), bytes.count)
                    try reader.feed(bytes[..<count])
                    bytes.removeFirst(count)
                    while try reader.next() != nil {}
                }
            } catch {}
        }
    }

    @Test func `encoded commands are valid RESP`() throws {
        let words: [[UInt8]] = [Array("SET".utf8), [], [0, 13, 10, 255], [UInt8](repeating: 42, count: 100_000)]
        let bytes = try #require(RedisCommand("SET", Array(words.dropFirst())).encoded())
        #expect(bytes.starts(with: Array("*4\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\n\0\r\n".utf8)))
        let reader = try ReplyReader()
        try reader.feed(bytes[...])
        #expect(try reader.next() == .array(words.map(Reply.text)))
    }

    @Test func `a command over the limit isn't encoded`() {
        #expect(RedisCommand("SET", [[UInt8](repeating: 0, count: RedisCommand.longest)]).encoded() == nil)
    }
}
