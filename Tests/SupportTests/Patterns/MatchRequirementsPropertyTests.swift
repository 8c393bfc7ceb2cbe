import Foundation
import TestServers
import Testing

@testable import Heybot

/// The number of pairs of a pattern and a message for each seed.
private let pairs = Soak.rounds(5_000, soak: 500_000)

struct `Requirements compared with Swift's engine` {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `no matching text is excluded`(seed: UInt64) throws {
        let result = Self.run(seed: seed, pairs: pairs, foldsSpecials: true)
        #expect(result.mismatches.prefix(20) == [])
        #expect(result.withRequirements * 2 > result.patterns)
        #expect(result.ruledOut * 10 > result.pairs * 3)
        #expect(result.matches * 20 > result.pairs)
    }

    @Test func `without the first step of folding, matching texts are excluded`() {
        let result = Self.run(seed: 5, pairs: max(pairs, 50_000), foldsSpecials: false)
        #expect(!result.mismatches.isEmpty)
    }

    struct Result: CustomStringConvertible {
        var patterns = 0
        var refused = 0
        var unread = 0
        var withRequirements = 0
        var withPieces = 0
        var pairs = 0
        var ruledOut = 0
        var matches = 0
        var mismatches: [String] = []

        var description: String {
            "\(patterns) patterns (\(refused) more refused), not read \(unread), with needs \(withRequirements), "
                + "with pieces \(withPieces); \(pairs) pairs, ruled out \(ruledOut), matches \(matches), "
                + "mismatches \(mismatches.count)"
        }
    }

    static func run(seed: UInt64, pairs: Int, foldsSpecials: Bool) -> Result {
        var generator = PatternGenerator(seed: seed)
        var result = Result()
        while result.pairs < pairs {
            let pattern = generator.pattern()
            guard let parsed = try? Regex(pattern) else {
                result.refused += 1
                continue
            }
            let regex = withOptions(parsed, &generator)
            let ignoresCase = !generator.isOnce(in: 3)
            let tree = regex.patternSource.flatMap {
                RegexAST($0, dialect: .swift, ignoresCase: ignoresCase)
            }
            let requirements = MatchRequirements(of: tree)
            let final = (ignoresCase ? regex.ignoresCase() : regex).wordBoundaryKind(.simple)
            result.patterns += 1
            result.unread += tree == nil ? 1 : 0
            result.withRequirements +=
                requirements.literals.isEmpty && requirements.bytes.isEmpty && requirements.only == nil ? 0 : 1
            result.withPieces += requirements.literals.isEmpty ? 0 : 1
            for _ in 0..<24 {
                let message = generator.message(near: pattern)
                let isAdmitted =
                    foldsSpecials ? requirements.admit(message) : requirements.admit(folded: Array(message.utf8))
                result.pairs += 1
                let isMatched =
                    (try? final.firstMatch(in: message)) ?? nil != nil
                    || (try? final.prefixMatch(in: message)) ?? nil != nil
                result.matches += isMatched ? 1 : 0
                result.ruledOut += isAdmitted ? 0 : 1
                if isMatched, !isAdmitted {
                    let text = regex.patternSource ?? ""
                    result.mismatches.append(
                        "\(pattern.debugDescription) \(text.debugDescription) ignoresCase: "
                            + "\(ignoresCase) on \(message.debugDescription), \(requirements)")
                }
            }
        }
        return result
    }

    private static func withOptions(
        _ regex: Regex<AnyRegexOutput>, _ generator: inout PatternGenerator
    ) -> Regex<AnyRegexOutput> {
        var regex = regex
        while generator.isOnce(in: 3) {
            switch generator.number(1...12) {
            case 1: regex = regex.ignoresCase()
            case 2: regex = regex.ignoresCase(false)
            case 3: regex = regex.dotMatchesNewlines()
            case 4: regex = regex.anchorsMatchLineEndings()
            case 5: regex = regex.matchingSemantics(.unicodeScalar)
            case 6: regex = regex.asciiOnlyWordCharacters()
            case 7: regex = regex.asciiOnlyDigits()
            case 8: regex = regex.asciiOnlyWhitespace()
            case 9: regex = regex.asciiOnlyCharacterClasses()
            case 10: regex = regex.repetitionBehavior(.reluctant)
            case 11: regex = regex.repetitionBehavior(.possessive)
            default: regex = regex.matchingSemantics(.graphemeCluster)
            }
        }
        return regex
    }
}
