import Testing

@testable import HeybotSASL

/// Any challenge gives a response or an error.
@Suite struct FuzzTests {
    /// A deterministic generator (SplitMix64).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    private static let words = [
        "r=", "s=", "i=", "v=", "e=", "m=", ",", "=", "n,,", "\0", "0", "1", "4095", nonce, "QSXCR+Q6sek8bf92", "==",
        "99999999999999999999", "é", "\u{1f44d}", "rmF9pqV8S7suAoZWja4dJRkFsKQ="
    ].map { Array($0.utf8) }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no challenge crashes the client`(_ seed: UInt64) throws {
        var dice = Dice(state: seed)
        // One less than the minimum, to avoid the expensive hashing.
        let first = Array("r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4095".utf8)
        let final = Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8)
        let begun = try SASLClient.begun(seed.isMultiple(of: 2) ? .scramSHA1 : .scramSHA256)
        var answered = begun
        _ = try answered.respond("r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4096")
        var accepted = 0
        for round in 0..<25_000 {
            let isFirst = round.isMultiple(of: 2)
            var login = isFirst ? begun : answered
            let challenge = Self.mutated(isFirst ? first : final, &dice)
            do throws(SASLError) {
                _ = try login.respond(to: challenge)
                accepted += 1
            } catch { #expect(error.description.utf8.count < 300) }
            // A random signature is never valid.
            #expect(throws: SASLError.self) { try login.finish(challenge) }
        }
        // Those with another iteration count.
        #expect(accepted < 2_000)
    }

    private static func mutated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = bytes
        if Int.random(in: 0..<8, using: &dice) == 0 { bytes = [] }
        for _ in 0...Int.random(in: 0..<4, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            switch Int.random(in: 0..<5, using: &dice) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
            case 1: if place < bytes.count { bytes.remove(at: place) }
            case 2: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            case 3: bytes.insert(contentsOf: words.randomElement(using: &dice) ?? [], at: place)
            default: bytes.removeSubrange(place..<Int.random(in: place...bytes.count, using: &dice))
            }
        }
        return bytes
    }
}
