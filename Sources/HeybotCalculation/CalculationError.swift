/// Why something can't be worked out.
///
/// What was typed and is named here is cut when the sentence is made, to 40 characters, and goes without control
/// characters. It is indirect so that a function that may throw it needs little of the stack.
package indirect enum CalculationError: Error, Hashable, Sendable {
    /// There is nothing but blanks.
    case nothing
    /// The text has more than 500 characters.
    case textTooLong
    /// Parentheses, powers and functions stand inside each other more than 100 deep.
    case tooDeep
    /// A character or word that makes no sense where it stands.
    case notUnderstood(String)
    /// Digits that are no number.
    case notNumber(String)
    /// A comma that doesn't stand before a group of three digits.
    case misplacedComma(String)
    /// Something has to follow.
    case missing(after: String)
    /// A parenthesis that isn't closed.
    case unclosed
    /// A parenthesis closed that was never opened.
    case unopened
    /// A word that is no constant, function or unit.
    case unknownName(String)
    /// What follows a number and is no unit.
    case unknownUnit(String)
    /// What is before a parenthesis and is no function.
    case unknownFunction(String)
    /// A function with too few or too many numbers.
    case wrongCount(function: String, takes: String)
    /// A number after a percent sign, which may mean a part of it or a remainder.
    case percentFollowed
    /// Division by zero.
    case divisionByZero
    /// A whole number beyond 10,000 digits.
    case tooLarge
    /// A number that is no fraction and is beyond what a double holds.
    case beyondApproximation
    /// A root of a negative number and the like.
    case notReal
    /// A function or sign that is for whole numbers.
    case notWhole(String)
    /// A number outside of what a function is for; the text is the sentence.
    case outOfRange(String)
    /// A function of a plain number that was given something with a unit.
    case notPlain(function: String, kind: String)
    /// An exponent that has a unit, or that a unit can't be raised to.
    case unitInPower(String)
    /// Different kinds of things in a sum, a comparison or a conversion; each kind with its article.
    case mismatch(left: String, leftKind: String, right: String, rightKind: String, verb: String)
    /// More units in one than can be kept apart.
    case tooManyUnits
    /// What follows `in` or `to` is neither a unit nor a way of writing numbers.
    case notTarget(String)
    /// A number that can't be written in that base.
    case notWritten(base: Int)
}

extension CalculationError: CustomStringConvertible {
    /// A sentence for the person who asked.
    package var description: String {
        switch self {
        case .nothing: "There is nothing to work out."
        case .textTooLong: "That's too long for me: at most \(Lexer.longest) characters."
        case .tooDeep: "That's nested too deep for me: at most \(Parser.deepest) levels."
        case .notUnderstood(let text): "I don't understand \(Self.cut(text)) there."
        case .notNumber(let text): "\(Self.cut(text)) is no number I can read."
        case .misplacedComma(let text):
            "\(Self.cut(text)) is no number I can read: commas go before groups of three digits, a point before decimals."
        case .missing(let text): "Something is missing after \(Self.cut(text))."
        case .unclosed: "A closing parenthesis is missing."
        case .unopened: "There is a closing parenthesis too many."
        case .unknownName(let name): "I don't know what \(Self.cut(name)) is."
        case .unknownUnit(let name): "I don't know the unit \(Self.cut(name))."
        case .unknownFunction(let name): "I don't know the function \(Self.cut(name))."
        case .wrongCount(let function, let takes): "\(Self.cut(function)) takes \(takes)."
        case .percentFollowed: "After % say of or mod: 10% of 3, or 10 mod 3."
        case .divisionByZero: "Division by zero."
        case .tooLarge: "That's more than I can work out: at most 10,000 digits."
        case .beyondApproximation:
            "That's more than I can work out: at most about 10^308, and no less than its inverse."
        case .notReal: "That has no answer among the real numbers."
        case .notWhole(let function): "\(Self.cut(function)) takes whole numbers only."
        case .outOfRange(let sentence): sentence
        case .notPlain(let function, let kind): "\(Self.cut(function)) takes a plain number, not \(kind)."
        case .unitInPower(let unit): "\(Self.cut(unit)) can't be in that power."
        case .mismatch(let left, let leftKind, let right, let rightKind, let verb):
            "\(Self.cut(left)) is \(leftKind), \(Self.cut(right)) \(rightKind): they can't be \(verb)."
        case .tooManyUnits: "Those are more units than I can keep apart."
        case .notTarget(let text): "\(Self.cut(text)) is no unit I could tell it in."
        case .notWritten(let base): "In base \(base) I write whole numbers only, of at most 200 digits."
        }
    }

    private static func cut(_ text: String) -> String {
        let longest = 40
        let seen = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: true
            }
        }
        let cut = String(String.UnicodeScalarView(seen.prefix(longest)))
        return seen.isEmpty ? "that" : seen.count > longest ? cut.dropLast() + "…" : cut
    }
}
