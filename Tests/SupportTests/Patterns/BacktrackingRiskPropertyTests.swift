import Testing

@testable import Heybot

/// Compares the check with a count of the ways to match, for random repetitions over `a` and `b` and all short texts.
struct RandomAmbiguityTests {
    private static let longest = 6
    private static let texts: [String] = {
        var (all, last) = ([String](), [""])
        for _ in 0..<longest {
            last = last.flatMap { [$0 + "a", $0 + "b"] }
            all += last
        }
        return all
    }()

    @Test(arguments: 0..<8)
    func `a repetition is reported if and only if a text is matched in two ways`(_ seed: Int) {
        var random = Numbers(state: UInt64(seed) &+ 1)
        var counts = (ambiguous: 0, unambiguous: 0)
        for _ in 0..<150 {
            let part = Self.tree(depth: 3, &random)
            let pattern = RegexAST.sequence([
                .repetition(part, least: 1, most: nil, .eager),
                .character(PossibleCharacters(ascii: ByteSet([UInt8(ascii: "!")]), hasOthers: false))
            ])
            let isAmbiguous = Self.texts.contains { MatchCounter($0).waysToRepeat(part, hasCount: false) > 1 }
            guard let backtrackingRisk = pattern.backtrackingRisk() else {
                counts.unambiguous += 1
                #expect(!isAmbiguous, "\(part.patternText)")
                continue
            }
            counts.ambiguous += 1
            // The example may be of an inner repetition, which the short texts repeat too few times.
            let told = TestRegexParser.tree(backtrackingRisk.part)
            let often = MatchCounter(String(repeating: backtrackingRisk.example, count: 3)).waysToRepeat(
                told, hasCount: false)
            #expect(often >= 8 || backtrackingRisk.part.hasSuffix("…"), "\(part.patternText): \(backtrackingRisk)")
        }
        // Both kinds occur, so that the test means something.
        #expect(counts.ambiguous > 30)
        #expect(counts.unambiguous > 30)
    }

    private static func tree(depth: Int, _ random: inout Numbers) -> RegexAST {
        guard depth > 0, random.next(below: 4) > 0 else { return letter(&random) }
        switch random.next(below: 8) {
        case 0: return random.next(below: 3) == 0 ? .empty : letter(&random)
        case 1, 2, 3: return .sequence((0..<(2 + random.next(below: 2))).map { _ in tree(depth: depth - 1, &random) })
        case 4, 5: return .alternatives((0..<2).map { _ in tree(depth: depth - 1, &random) })
        default:
            let limits: [(Int, Int?)] = [(0, nil), (1, nil), (0, 1), (2, 2), (1, 2), (0, 2), (2, nil)]
            let (least, most) = limits[random.next(below: limits.count)]
            return .repetition(tree(depth: depth - 1, &random), least: least, most: most, .eager)
        }
    }

    private static func letter(_ random: inout Numbers) -> RegexAST {
        let sets: [[UInt8]] = [[0x61], [0x62], [0x61], [0x62], [0x61, 0x62]]
        return .character(PossibleCharacters(ascii: ByteSet(sets[random.next(below: sets.count)]), hasOthers: false))
    }

    /// A repeatable random number generator.
    private struct Numbers {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
    }
}
