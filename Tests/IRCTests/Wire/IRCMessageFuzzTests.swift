import Foundation
import HeybotIRC
import HeybotTesting
import TestServers
import Testing

/// Any input is handled: a written message is one line, and equal when it is parsed again.
///
/// 40,000 messages, or 1,000,000 with `bin/test --soak`; half are made of bytes, half of parts.
@Suite struct IRCMessageFuzzTests {
    private static let rounds = Soak.rounds(5_000, soak: 125_000)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `any line`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var read = 0
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1000) { await Task.yield() }
            let line = Lines.random(&random)
            guard let message = IRCMessage(line[...]) else { continue }
            read += 1
            let bytes = message.bytes
            try #require(Self.isOneLine(bytes), "\(line)")
            let again = try #require(IRCMessage(bytes[...]), "\(line)")
            try #require(again == message, "\(line)")
            try #require(again.bytes == bytes, "\(line)")
        }
        // Enough of them must be valid.
        #expect(read > Self.rounds / 3)
    }

    @Test(arguments: [5, 6, 7, 8] as [UInt64])
    func `any parts`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1000) { await Task.yield() }
            let message = Lines.randomMessage(&random)
            let bytes = message.bytes
            try #require(Self.isOneLine(bytes), "\(message)")
            guard message.command.utf8.contains(where: Self.isLetterOrDigit) else {
                try #require(bytes == [13, 10], "\(message)")
                continue
            }
            let again = try #require(IRCMessage(bytes[...]), "\(message)")
            try #require(again.parameters.count == message.parameters.count, "\(message)")
            try #require(again.tags.count <= message.tags.count, "\(message)")
            try #require(again.bytes == bytes, "\(message)")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
    }

    private static func isOneLine(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[bytes.count - 2] == 13, bytes[bytes.count - 1] == 10 else { return false }
        for index in 0..<(bytes.count - 2) where bytes[index] == 13 || bytes[index] == 10 || bytes[index] == 0 {
            return false
        }
        return true
    }
}

/// Valid and invalid lines.
private enum Lines {
    static let real: [[UInt8]] = [
        ":nick!user@host PRIVMSG #chan :some words here\r\n",
        "@time=2024-05-01T10:20:30.123Z;msgid=a\\sb\\:c;+x :n!~u@h PRIVMSG #c :\u{1}ACTION wäves\u{1}\r\n",
        ":irc.example.org 005 bot CHANTYPES=# PREFIX=(ov)@+ :are supported by this server\n",
        ":irc.example.org 353 bot = #chan :@alice +bob 日本\r\n", "PING :irc.example.org\r\n", "FOO  a b ::c  d ",
        ":n MODE #c +o-v a b\r\n", "@a=\\\\\\n;b;c= CAP * LS :sasl=PLAIN,EXTERNAL server-time\r\n", "QUIT :"
    ].map { Array($0.utf8) }

    static let pieces: [[UInt8]] =
        ["@", ":", " ", "  ", ";", "=", "\\", "\\s", "\r", "\n", "\r\n", "\u{0}", "A", "privmsg", "001", "#c", "é", "日"]
        .map { Array($0.utf8) } + [[0xe9], [0xff, 0xfe], [0x80], [0xe6, 0x97], [0xf0, 0x9f], [0xed, 0xa0, 0x80]]

    static let texts = [
        "", " ", ":", "::", "a", "#c", "a b", " :x ", "\r", "\n", "\r\n", "\u{0}", "x\r\nQUIT :y", "a;b=c\\", "\\", "é",
        "日本",
        "e\u{301}", "\u{301}", "👩‍👩‍👧", "@a", "\u{1}ACTION x\u{1}", "\u{2028}", "PRIVMSG", "1", "_"
    ]

    /// A valid line with a change, or pieces, or random bytes.
    static func random(_ random: inout SeededGenerator) -> [UInt8] {
        switch random.below(8) {
        case 0: return (0..<random.below(12)).flatMap { _ in random.pick(pieces) }
        case 1: return (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        default:
            var line = random.pick(real)
            for _ in 0...random.below(4) { change(&line, &random) }
            return line
        }
    }

    private static func change(_ line: inout [UInt8], _ random: inout SeededGenerator) {
        let place = random.below(line.count)
        switch random.below(5) {
        case 0: line.insert(contentsOf: random.pick(pieces), at: place)
        case 1: if !line.isEmpty { line[place] = UInt8(truncatingIfNeeded: random.next()) }
        case 2: line.removeSubrange(place..<min(place + random.below(6), line.count))
        case 3: line.removeSubrange(place...)
        default: line.append(contentsOf: random.pick(real)[...].prefix(random.below(30)))
        }
    }

    static func randomMessage(_ random: inout SeededGenerator) -> IRCMessage {
        var tags: [String: String] = [:]
        for _ in 0..<random.below(3) { tags[text(&random)] = text(&random) }
        let source = random.below(2) == 0 ? text(&random) : nil
        return IRCMessage(
            tags: tags, source: source, text(&random), (0..<random.below(5)).map { _ in text(&random) })
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        random.below(2) == 0 ? random.pick(texts) : random.pick(texts) + random.pick(texts)
    }
}
