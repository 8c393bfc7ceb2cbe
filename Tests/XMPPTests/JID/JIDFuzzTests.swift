import Foundation
import HeybotTesting
import HeybotXMPP
import TestServers
import Testing

/// Random texts: nothing traps, and normalizing a valid address again changes nothing.
///
/// 10,000 texts, and 1,000,000 with `bin/test --soak`.
@Suite struct JIDFuzzTests {
    private static let rounds = Soak.rounds(2_500, soak: 250_000)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random texts`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var read = 0
        for round in 0..<Self.rounds {
            if round.isMultiple(of: 1000) { await Task.yield() }
            let text = Self.text(&random)
            let jid: JID
            do { jid = try JID(text) } catch {
                try #require(error.description.unicodeScalars.count < 250)
                continue
            }
            read += 1
            let printed = jid.description
            let again = try JID(printed)
            try #require(again == jid && again.hashValue == jid.hashValue, "\(Self.codes(text))")
            try #require(Array(again.description.utf8) == Array(printed.utf8), "\(Self.codes(text))")
            try #require(try JID(local: jid.local, domain: jid.domain, resource: jid.resource) == jid)
            for part in [jid.local, jid.domain, jid.resource] {
                guard let part else { continue }
                try #require((1...1_023).contains(part.utf8.count), "\(Self.codes(text))")
                let normal = part.precomposedStringWithCanonicalMapping
                try #require(Array(normal.utf8) == Array(part.utf8), "\(Self.codes(text))")
            }
            // Canonically equivalent texts are the same address.
            try #require(try JID(text.decomposedStringWithCanonicalMapping) == jid, "\(Self.codes(text))")
        }
        // Enough texts are addresses for the test to be meaningful.
        #expect(read > Self.rounds / 8)
    }

    /// Characters with rules of their own.
    private static let odd =
        Array(
            "\u{b7}l·\u{375}αΣςſßẞıİK\u{212b}Å\u{30a}\u{301}\u{338}=<\u{345}\u{323}אב׳״ا٠۰\u{200c}\u{200d}्कア・ｱﾞ漢〇。．／＠Ａａ１\u{387}\u{37e}\u{1fef}"
                .unicodeScalars
        )
        + Array(
            "\u{1100}\u{1161}\u{11a8}가\u{958}\u{9c7}\u{9be}ﬀⅣ♚😀\u{fe0f}\u{ad}\u{a0}\u{3000}\u{e000}\u{640}ǅᾈᾳꭰᎠ"
                .unicodeScalars)

    private static func text(_ random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        let ways = [random.below(5), random.below(5), random.below(5)]
        if random.below(4) > 0 {
            scalars.append(contentsOf: part(&random, ways[0]))
            scalars.append("@")
        }
        scalars.append(contentsOf: part(&random, ways[1]))
        if random.below(3) == 0 { scalars.append(".") }
        if random.below(3) == 0 { scalars.append(contentsOf: part(&random, ways[1])) }
        if random.below(4) > 0 {
            scalars.append("/")
            scalars.append(contentsOf: part(&random, ways[2]))
        }
        return String(scalars)
    }

    private static func part(_ random: inout SeededGenerator, _ way: Int) -> [Unicode.Scalar] {
        let count = random.below(200) == 0 ? random.below(1_100) : 1 + random.below(6)
        let block = UInt32(random.below(0x300)) << 8
        return (0..<count).map { _ in
            let scalar: Unicode.Scalar? =
                switch way {
                case 0, 1: Unicode.Scalar(0x61 + UInt8(random.below(26)))
                case 2: Unicode.Scalar(UInt8(random.below(0x80)))
                case 3: random.pick(odd)
                default: Unicode.Scalar(block | UInt32(random.below(0x100)))
                }
            return scalar ?? "a"
        }
    }

    private static func codes(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
