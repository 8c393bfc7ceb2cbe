/// What answers a question of ``Response/ask(_:for:within:)``, and the value that the answer stands for.
///
/// It is `.yesOrNo`, `.number(in: 1...20)`, or one of your own:
///
/// ```swift
/// ExpectedAnswer("a color, such as red") { colors[$0.lowercased()] }
/// ```
public struct ExpectedAnswer<Value: Sendable>: Sendable {
    /// What follows the question.
    let hint: String
    /// What the robot says if a text isn't an answer.
    let correction: String
    private let isMeant: @Sendable (String) -> Bool
    private let read: @Sendable (String) -> Value?

    /// - Parameters:
    ///   - isMeant: Whether a text is meant as an answer, even if nobody is addressed, and the value isn't possible.
    ///   - read: Returns the value that an answer stands for; nil if there is none.
    init(
        hint: String = "", correction: String, isMeant: @escaping @Sendable (String) -> Bool,
        read: @escaping @Sendable (String) -> Value?
    ) {
        (self.hint, self.correction) = (hint, correction)
        (self.isMeant, self.read) = (isMeant, read)
    }

    /// Creates a kind of answer.
    ///
    /// - Parameters:
    ///   - description: What the robot asks for if the user says something else, such as `a color, such as red`.
    ///   - read: Returns quickly the value that a text of at most 500 bytes stands for; nil if the text is no answer.
    public init(_ description: String, read: @escaping @Sendable (String) -> Value?) {
        self.init(correction: "Please answer with \(description).", isMeant: { read($0) != nil }, read: read)
    }

    /// Whether a text is meant as an answer, or says that the user doesn't want to answer.
    func accepts(_ text: String) -> Bool {
        text.utf8.count <= AnswerText.longest && (isMeant(text) || YesOrNo(text) == .no)
    }

    /// Returns the value that a text stands for; nil if there is none.
    func value(of text: String) -> Value? {
        text.utf8.count <= AnswerText.longest ? read(text) : nil
    }
}

extension ExpectedAnswer where Value == Bool {
    /// True for `yes`, `ok` or 👍, false for `no`, `never mind` or 👎.
    public static var yesOrNo: ExpectedAnswer<Bool> {
        ExpectedAnswer<Bool>(
            hint: " (yes/no)", correction: "Please answer with yes or no.", isMeant: { YesOrNo($0) != nil },
            read: { text in YesOrNo(text).map { $0 == .yes } })
    }
}

extension ExpectedAnswer where Value == Int {
    /// A number in a range, in digits.
    public static func number(in range: ClosedRange<Int>) -> ExpectedAnswer<Int> {
        ExpectedAnswer<Int>(
            correction: "Please answer with a number from \(range.lowerBound) to \(range.upperBound).",
            isMeant: { AnswerText($0).number != nil },
            read: { text in
                guard let number = AnswerText(text).number, range.contains(number) else { return nil }
                return number
            })
    }
}
