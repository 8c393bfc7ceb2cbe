// Questions whose answers are values.

extension Response {
    /// Asks the message's author a question, and returns the value of the answer.
    ///
    /// ```swift
    /// let count = try await res.ask("How many?", for: .number(in: 1...20))
    /// ```
    ///
    /// The author answers as with ``ask(_:within:accepting:)``: only what is meant as an answer counts, unless it is
    /// addressed to the robot. A reaction to the question is an answer too, if its emoji is one. After an answer
    /// without a value, the robot asks once more. If the author says `no`, `never mind` or the like, and that is no
    /// value, the question is over.
    ///
    /// - Throws: A ``Refusal`` if the author doesn't want to answer, has answered twice without a value, or hasn't just
    ///   said the command, as when a schedule runs it; ``AskTimeoutError`` if there is no answer within the limit;
    ///   ``QuestionAbandonedError`` if the author gives a command instead.
    public func ask<Value: Sendable>(
        _ question: String, for expected: ExpectedAnswer<Value>, within limit: Duration = .minutes(5)
    ) async throws -> Value {
        // What the author says next in the room may be meant for somebody else.
        guard isRequested else { throw Refusal("I have a question about that, so say it to me yourself.") }
        for text in ["\(question)\(expected.hint)", expected.correction] {
            let answer = try await context.robot.dispatcher.ask(
                text, within: limit, takesReactions: true, accepting: { expected.accepts($0) }, context)
            if let value = expected.value(of: answer) { return value }
            if YesOrNo(answer) == .no { throw Refusal("OK, never mind.") }
        }
        throw Refusal("Sorry, I didn't get that, so I've left it.")
    }

    /// Asks the message's author to choose, with a numbered list, and returns the choice.
    ///
    /// ```swift
    /// let size = try await res.ask("Which size?", choices: ["small", "large"])
    /// ```
    ///
    /// The author answers with the number, the words, or a beginning of the words that no other choice has, and
    /// otherwise as with ``ask(_:for:within:)``. Case is ignored. There are at most 20 choices; of each, the robot shows
    /// 100 characters.
    ///
    /// - Throws: A ``Refusal`` if there are no choices or more than 20, and the errors of ``ask(_:for:within:)``.
    public func ask(
        _ question: String, choices: [String], within limit: Duration = .minutes(5)
    ) async throws -> String {
        guard !choices.isEmpty else { throw Refusal("There is nothing to choose from.") }
        guard choices.count <= Choices.most else {
            throw Refusal(
                "That leaves \(choices.count) to choose from, and I can offer \(Choices.most): be more specific.")
        }
        return try await ask(question, for: Choices(choices).expectedAnswer, within: limit)
    }
}
