import Foundation
import TestServers
import Testing

@testable import Heybot

/// The first `node` in the search path.
private let node: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/node" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}()

/// The number of pairs of a pattern and a message that are tried.
private let pairs = Soak.rounds(5_000, soak: 250_000)

@Suite(.enabled(if: node != nil, "needs node in the search path"))
struct `Requirements compared with a JavaScript engine` {
    private struct Case: Codable {
        let pattern: String
        let flags: String
        let messages: [String]
    }

    /// Prints, for each case, the indices of the messages that match, or null if the pattern is invalid.
    private static let script = """
        const cases = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        console.log(JSON.stringify(cases.map(({ pattern, flags, messages }) => {
            let regex;
            try { regex = new RegExp(pattern, flags); } catch { return null; }
            return messages.flatMap((text, place) => { regex.lastIndex = 0; return regex.test(text) ? [place] : []; });
        })));
        """

    @Test(arguments: [11, 12, 13, 14] as [UInt64])
    func `no matching text is excluded`(seed: UInt64) throws {
        var generator = PatternGenerator(seed: seed, dialect: .javaScript)
        var (tried, withRequirements, patterns, ruledOut, matches) = (0, 0, 0, 0, 0)
        var mismatches: [String] = []
        while tried < pairs {
            let cases = (0..<400).map { _ in Self.oneCase(&generator) }
            let answers = try Self.answers(cases)
            try #require(answers.count == cases.count)
            for (one, answer) in zip(cases, answers) {
                guard let answer else { continue }
                let requirements = MatchRequirements(of: RegexAST(one.pattern, dialect: .javaScript(flags: one.flags)))
                patterns += 1
                withRequirements +=
                    requirements.literals.isEmpty && requirements.bytes.isEmpty && requirements.only == nil ? 0 : 1
                tried += one.messages.count
                matches += answer.count
                let places = Set(answer)
                for (place, message) in one.messages.enumerated() where !requirements.admit(message) {
                    ruledOut += 1
                    if places.contains(place) {
                        mismatches.append(
                            "\(one.pattern.debugDescription) \(one.flags) on \(message.debugDescription), \(requirements)"
                        )
                    }
                }
            }
        }
        print(
            "\(patterns) patterns, with needs \(withRequirements); \(tried) pairs, ruled out \(ruledOut), matches \(matches)"
        )
        #expect(mismatches.prefix(10) == [])
        #expect(withRequirements * 2 > patterns)
        #expect(ruledOut * 10 > tried * 3)
        #expect(matches * 20 > tried)
    }

    private static func oneCase(_ generator: inout PatternGenerator) -> Case {
        let pattern = generator.pattern()
        let flags = ["", "i", "i", "iu", "u", "im", "s", "iv", "gi", "y"][generator.number(0...9)]
        return Case(
            pattern: pattern, flags: flags, messages: (0..<24).map { _ in generator.message(near: pattern) })
    }

    private static func answers(_ cases: [Case]) throws -> [[Int]?] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try JSONEncoder().encode(cases).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(node))
        process.arguments = ["-e", script, file.path()]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([[Int]?].self, from: data)
    }
}
