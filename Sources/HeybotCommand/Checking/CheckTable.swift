import Heybot
import HeybotSupport

/// The results of `heybot check` as lines for a terminal: a row for each result, with the fix below it.
struct CheckTable {
    /// The width of the column with the parts' names.
    private let width: Int
    private let colors: Bool
    private(set) var counts = Counts()

    /// The number of results by outcome.
    struct Counts: Sendable {
        var passed = 0
        var warned = 0
        var failed = 0
        var skipped = 0
    }

    /// - Parameter adapters: The adapters' names, for the width of the column.
    init(adapters: [String], colors: Bool) {
        width = (CheckPart.allCases.map(\.rawValue) + adapters).map(\.count).max() ?? 0
        self.colors = colors
    }

    /// Prints the rows of a fixed part.
    mutating func write(_ part: CheckPart, _ steps: [PreflightCheckResult]) throws { try write(part.rawValue, steps) }

    /// Prints the rows of a part, such as an adapter.
    mutating func write(_ part: String, _ steps: [PreflightCheckResult]) throws {
        for row in rows(of: part, steps) { try StandardOutput.writeLine(row) }
    }

    /// Returns the rows of a part, and counts them.
    mutating func rows(of part: String, _ steps: [PreflightCheckResult]) -> [String] {
        let steps = steps.map { PreflightCheckResult(Self.line($0.subject), $0.outcome) }
        // Limited, so that one long subject doesn't push the other rows' texts off the screen.
        let subjectWidth = min(steps.map(\.subject.count).max() ?? 0, 40)
        return steps.flatMap { step in
            let row = row(step.outcome)
            let subject = subjectWidth == 0 ? "" : Self.padded(step.subject, subjectWidth) + "  "
            let first = "\(row.mark)  \(Self.padded(part, width))  \(subject)\(Self.line(row.words))"
            // The fix begins in the subject's column.
            return [first] + (row.fix.map { [String(repeating: " ", count: width + 8) + "→ \(Self.line($0))"] } ?? [])
        }
    }

    private mutating func row(_ outcome: PreflightCheckResult.Outcome) -> (mark: String, words: String, fix: String?) {
        switch outcome {
        case .passed(let words):
            counts.passed += 1
            return (mark("ok", 32), words, nil)
        case .warned(let words, let fix):
            counts.warned += 1
            return (mark("warn", 33), words, fix)
        case .failed(let words, let fix):
            counts.failed += 1
            return (mark("FAIL", 31), words, fix)
        case .skipped(let words):
            counts.skipped += 1
            return (mark("skip", 2), words, nil)
        }
    }

    private func mark(_ word: String, _ color: Int) -> String {
        let word = Self.padded(word, 4)
        return colors ? "\u{1b}[\(color)m\(word)\u{1b}[0m" : word
    }

    /// The numbers of results, such as `9 ok, 1 failed`.
    var summary: String {
        let all = [
            (counts.passed, "ok"), (counts.warned, "warned"), (counts.failed, "failed"),
            (counts.skipped, "skipped")
        ]
        return all.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    /// The text as one line of limited length: it may come from a server.
    private static func line(_ text: String) -> String {
        let longest = 400
        let plain = SafeText.line(text)
        return plain.unicodeScalars.count > longest ? String(plain.unicodeScalars.prefix(longest)) + "…" : plain
    }
}

extension PreflightCheckResult.Outcome {
    /// A failure with the error's reason and fix.
    ///
    /// - Parameter setting: The setting that the error is about.
    static func failed(_ error: some ErrorWithFix, setting: String) -> Self {
        .failed(error.reason, fix: error.fix.map { "\($0) (\(setting))" } ?? "check \(setting)")
    }
}
