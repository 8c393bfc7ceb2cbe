/// The reason why an expression can't be calculated.
///
/// In the description, the user's text is cut to 40 characters and stripped of control characters. The enum is indirect so
/// that throwing functions need little stack.
package indirect enum CalculationError: Error, Hashable, Sendable {
    /// The text is blank.
    case nothing
    /// The text has more than 500 characters.
    case textTooLong
    /// Parentheses, powers and functions are nested more than 100 levels deep.
    case tooDeep
    /// An unexpected character or word.
    case notUnderstood(String)
    /// Digits that aren't a valid number.
    case notNumber(String)
    /// A comma that isn't before a group of three digits.
    case misplacedComma(String)
    /// The expression ends too early.
    case missing(after: String)
    /// An opening parenthesis without a closing one.
    case unclosed
    /// A closing parenthesis without an opening one.
    case unopened
    /// A word that isn't a constant, function or unit.
    case unknownName(String)
    /// A word after a number that isn't a unit.
    case unknownUnit(String)
    /// A word before a parenthesis that isn't a function.
    case unknownFunction(String)
    /// A function with too few or too many arguments.
    case wrongCount(function: String, takes: String)
    /// A number after a percent sign, which is ambiguous: a percentage of it, or a remainder.
    case percentFollowed
    /// Division by zero.
    case divisionByZero
    /// A whole number of more than 10,000 digits.
    case tooLarge
    /// An inexact number outside the range of a double.
    case beyondApproximation
    /// A result that isn't a real number, such as the root of a negative number.
    case notReal
    /// A function or operator that requires whole numbers.
    case notWhole(String)
    /// An argument outside a function's domain; the text is the whole sentence.
    case outOfRange(String)
    /// A quantity with a unit for a function that requires a plain number.
    case notPlain(function: String, kind: String)
    /// An exponent that has a unit, or an invalid exponent for a unit.
    case unitInPower(String)
    /// Different kinds of quantities in a sum, a comparison or a conversion. Each kind has its article.
    case mismatch(left: String, leftKind: String, right: String, rightKind: String, verb: String)
    /// Too many units in a product.
    case tooManyUnits
    /// The word after `in` or `to` is neither a unit nor a number format.
    case notTarget(String)
    /// A number that can't be written in a base.
    case notWritten(base: Int)
}

extension CalculationError: CustomStringConvertible {
    /// A sentence for the user.
    package var description: String {
        switch self {
        case .nothing: "There is nothing to calculate."
        case .textTooLong: "That's too long for me: the limit is \(Lexer.longest) characters."
        case .tooDeep: "That's nested too deeply for me: the limit is \(Parser.deepest) levels."
        case .notUnderstood(let text): "I don't understand \(Self.cut(text))."
        case .notNumber(let text): "I can't read \(Self.cut(text)) as a number."
        case .misplacedComma(let text):
            "I can't read \(Self.cut(text)): commas go before groups of three digits, and a point before decimals."
        case .missing(let text): "Something is missing after \(Self.cut(text))."
        case .unclosed: "A closing parenthesis is missing."
        case .unopened: "There is one closing parenthesis too many."
        case .unknownName(let name): "I don't know what \(Self.cut(name)) is."
        case .unknownUnit(let name): "I don't know the unit \(Self.cut(name))."
        case .unknownFunction(let name): "I don't know the function \(Self.cut(name))."
        case .wrongCount(let function, let takes): "\(Self.cut(function)) takes \(takes)."
        case .percentFollowed: "Is that a percentage or a remainder? Write 10% of 3, or 10 mod 3."
        case .divisionByZero: "Division by zero."
        case .tooLarge: "That's too large for me: the limit is 10,000 digits."
        case .beyondApproximation:
            "That's too large or too small for me: I can handle about 10^-308 to 10^308."
        case .notReal: "That has no real result."
        case .notWhole(let function): "\(Self.cut(function)) takes whole numbers only."
        case .outOfRange(let sentence): sentence
        case .notPlain(let function, let kind): "\(Self.cut(function)) takes a plain number, not \(kind)."
        case .unitInPower(let unit): "I can't calculate that power with the unit \(Self.cut(unit))."
        case .mismatch(let left, let leftKind, let right, let rightKind, let verb):
            "\(Self.cut(left)) is \(leftKind) and \(Self.cut(right)) is \(rightKind): they can't be \(verb)."
        case .tooManyUnits: "That's too many different units for me."
        case .notTarget(let text): "I can't convert to \(Self.cut(text))."
        case .notWritten(let base): "In base \(base) I can only write whole numbers of at most 200 digits."
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
