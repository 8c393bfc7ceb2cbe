import HeybotSupport

/// The numbered choices of a question.
struct Choices: Sendable {
    /// The maximum number of choices.
    static let most = 20
    /// The maximum length of a choice that is shown, in scalars.
    private static let longestShown = 100
    /// The maximum length of a list in one line, in scalars.
    private static let longestLine = 120
    /// The shortest beginning of a choice that is an answer without being addressed to the robot.
    private static let shortestClearBeginning = 3

    private let texts: [String]
    private let words: [String]

    init(_ texts: [String]) {
        self.texts = texts
        words = texts.map { AnswerText($0).whole }
    }

    /// The numbered list, for the end of a question: on the same line, or on lines of its own if it is long.
    var list: String {
        let items = texts.enumerated().map { index, text in
            "(\(index + 1)) \(SafeText.visible(text, limit: Self.longestShown))"
        }
        let line = items.joined(separator: ", ")
        return line.unicodeScalars.count <= Self.longestLine ? " \(line)" : "\n\(items.joined(separator: "\n"))"
    }

    /// What is expected as an answer: one of the choices.
    var expectedAnswer: ExpectedAnswer<String> {
        ExpectedAnswer(
            hint: list, correction: "Please choose one of these:\(list)",
            // A number that is too large is meant as an answer too.
            isMeant: { text in
                choice(meantBy: text, shortestBeginning: Self.shortestClearBeginning) != nil
                    || AnswerText(text).number != nil
            },
            read: { choice(meantBy: $0) })
    }

    /// Returns the choice that a text means: by its words, its number, or a beginning that no other choice has.
    ///
    /// - Returns: Nil if it means none.
    func choice(meantBy text: String, shortestBeginning: Int = 1) -> String? {
        let answer = AnswerText(text)
        guard !answer.plain.isEmpty else { return nil }
        for candidate in [answer.whole, answer.plain] {
            if let index = words.firstIndex(of: candidate) { return texts[index] }
        }
        if let number = answer.number, number >= 1, number <= texts.count { return texts[number - 1] }
        guard answer.plain.count >= shortestBeginning else { return nil }
        let found = words.indices.filter { words[$0].hasPrefix(answer.plain) }
        return found.count == 1 ? found.first.map { texts[$0] } : nil
    }
}
