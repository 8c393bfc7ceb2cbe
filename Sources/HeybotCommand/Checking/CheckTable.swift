import Heybot
import HeybotSupport

/// What a check has found out, as lines for a terminal: a row for each step, the cure below it if it needs one.
struct CheckTable {
    /// How wide the names of the parts are.
    private let width: Int
    private let colors: Bool
    private(set) var counts = Counts()

    /// How many steps there were of each outcome.
    struct Counts: Sendable {
        var passed = 0
        var warned = 0
        var failed = 0
        var skipped = 0
    }

    /// - Parameter adapters: Their names, for a column that is wide enough.
    init(adapters: [String], colors: Bool) {
        width = (CheckPart.allCases.map(\.rawValue) + adapters).map(\.count).max() ?? 0
        self.colors = colors
    }

    /// Prints the rows of a part that each robot has.
    mutating func write(_ part: CheckPart, _ steps: [CheckStep]) throws { try write(part.rawValue, steps) }

    /// Prints the rows of a part.
    mutating func write(_ part: String, _ steps: [CheckStep]) throws {
        for row in rows(of: part, steps) { try StandardOutput.writeLine(row) }
    }

    /// The rows of a part, which count from then on.
    mutating func rows(of part: String, _ steps: [CheckStep]) -> [String] {
        let steps = steps.map { CheckStep(Self.line($0.subject), $0.outcome) }
        // A long one among them doesn't move the others' words out of sight.
        let subjectWidth = min(steps.map(\.subject.count).max() ?? 0, 40)
        return steps.flatMap { step in
            let row = row(step.outcome)
            let subject = subjectWidth == 0 ? "" : Self.padded(step.subject, subjectWidth) + "  "
            let first = "\(row.mark)  \(Self.padded(part, width))  \(subject)\(Self.line(row.words))"
            // Below the subject.
            return [first] + (row.cure.map { [String(repeating: " ", count: width + 8) + "→ \(Self.line($0))"] } ?? [])
        }
    }

    private mutating func row(_ outcome: CheckStep.Outcome) -> (mark: String, words: String, cure: String?) {
        switch outcome {
        case .passed(let words):
            counts.passed += 1
            return (mark("ok", 32), words, nil)
        case .warned(let words, let cure):
            counts.warned += 1
            return (mark("warn", 33), words, cure)
        case .failed(let words, let cure):
            counts.failed += 1
            return (mark("FAIL", 31), words, cure)
        case .skipped(let words):
            counts.skipped += 1
            return (mark("skip", 2), words, nil)
        }
    }

    private func mark(_ word: String, _ color: Int) -> String {
        let word = Self.padded(word, 4)
        return colors ? "\u{1b}[\(color)m\(word)\u{1b}[0m" : word
    }

    /// What it all comes to.
    var summary: String {
        let all = [
            (counts.passed, "ok"), (counts.warned, "to look after"), (counts.failed, "failed"),
            (counts.skipped, "skipped")
        ]
        return all.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    /// Words of servers too: one line, and no longer than one reads.
    private static func line(_ text: String) -> String {
        let longest = 400
        let plain = SafeText.line(text)
        return plain.unicodeScalars.count > longest ? String(plain.unicodeScalars.prefix(longest)) + "…" : plain
    }
}

extension CheckStep.Outcome {
    /// What an error says.
    ///
    /// - Parameter setting: The setting that it is about.
    static func failed(_ error: some CuredError, setting: String) -> Self {
        .failed(error.reason, cure: error.cure.map { "\($0) (\(setting))" } ?? "check \(setting)")
    }
}
