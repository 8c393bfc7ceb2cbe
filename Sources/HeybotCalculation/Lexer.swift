/// Splits an expression into tokens.
struct Lexer {
    /// The maximum number of characters.
    static let longest = 500

    private let text: [Unicode.Scalar]
    private var position = 0
    private var tokens: [Token] = []
    /// Whether each open parenthesis belongs to a function, in which a comma separates arguments.
    private var isOfFunction: [Bool] = []

    private init(_ text: [Unicode.Scalar]) {
        self.text = text
    }

    static func tokens(_ text: String) throws(CalculationError) -> [Token] {
        guard text.utf8.count <= longest * 4 else { throw .textTooLong }
        var scalars = Array(text.unicodeScalars)
        guard scalars.count <= longest else { throw .textTooLong }
        // People end expressions with "=" or "?", as in "2 + 2 = ?".
        while let last = scalars.last, last.properties.isWhitespace || last == "=" || last == "?" {
            scalars.removeLast()
        }
        var lexer = Lexer(scalars)
        while lexer.position < scalars.count { try lexer.readToken() }
        return lexer.tokens
    }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
        let index = position + offset
        return text.indices.contains(index) ? text[index] : nil
    }

    private mutating func take(while isIncluded: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while let next = scalar(), isIncluded(next) {
            taken.append(next)
            position += 1
        }
        return String(taken)
    }

    private mutating func readToken() throws(CalculationError) {
        guard let first = scalar() else { return }
        if first.properties.isWhitespace {
            position += 1
        } else if Self.isDigit(first) || first == "." && scalar(1).map(Self.isDigit) == true {
            try readNumber()
        } else if first == "π" {
            position += 1
            tokens.append(.name("pi"))
        } else if Self.isLetter(first) {
            readName()
        } else if first == "°" {
            readDegree()
        } else if Self.raisedDigits[first] != nil || first == "⁻" {
            try readPower()
        } else {
            try readSign(first)
        }
    }

    // MARK: Names and signs

    private mutating func readName() {
        let start = position
        let name = take { Self.isLetter($0) || Self.isDigit($0) }
        // "3x4x5": the digits after the x are a number of their own.
        if case .number = tokens.last, name.first == "x", name.dropFirst().first?.isNumber == true {
            position = start + 1
            tokens.append(.sign("*"))
        } else {
            tokens.append(.name(name))
        }
    }

    private mutating func readDegree() {
        position += 1
        let letters = take(while: Self.isLetter)
        if ["c", "f", "k", "r"].contains(letters.lowercased()) {
            tokens.append(.name("°" + letters.uppercased()))
        } else {
            position -= letters.unicodeScalars.count
            tokens.append(.name("°"))
        }
    }

    private mutating func readPower() throws(CalculationError) {
        let start = position
        let isNegative = scalar() == "⁻"
        if isNegative { position += 1 }
        let raised = take { Self.raisedDigits[$0] != nil }
        let text = String(String.UnicodeScalarView(text[start..<position]))
        let digits = raised.unicodeScalars.compactMap { Self.raisedDigits[$0] }
        guard !digits.isEmpty else { throw .notUnderstood(text) }
        guard let power = Int(digits.map(String.init).joined()) else { throw .tooLarge }
        tokens.append(.power(isNegative ? -power : power, text: text))
    }

    private mutating func readSign(_ first: Unicode.Scalar) throws(CalculationError) {
        position += 1
        switch first {
        case "*" where scalar() == "*":
            position += 1
            tokens.append(.sign("^"))
        case "*", "×", "·", "⋅", "∙": tokens.append(.sign("*"))
        case "/", "÷": tokens.append(.sign("/"))
        case "-", "−", "–": tokens.append(.sign("-"))
        case "+", "^", "%", "!", "√", ",": tokens.append(.sign(Character(first)))
        case "(":
            if case .name = tokens.last { isOfFunction.append(true) } else { isOfFunction.append(false) }
            tokens.append(.sign("("))
        case ")":
            isOfFunction.removeLast(min(1, isOfFunction.count))
            tokens.append(.sign(")"))
        case "'", "′", "’": tokens.append(.name("foot"))
        case "\"", "″", "”": tokens.append(.name("inch"))
        default: throw .notUnderstood(String(Character(first)))
        }
    }

    // MARK: Numbers

    private mutating func readNumber() throws(CalculationError) {
        let bases: [Unicode.Scalar: Int] = ["x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2]
        if scalar() == "0", let base = scalar(1).flatMap({ bases[$0] }), let digit = scalar(2),
            Character(digit).isHexDigit
        {
            return try readNumber(base: base)
        }
        let start = position
        let whole = try readWhole(from: start)
        var decimals = ""
        if scalar() == "." {
            position += 1
            decimals = take { Self.isDigit($0) || $0 == "_" }.filter { $0 != "_" }
        }
        let exponent = try readExponent()
        let text = String(String.UnicodeScalarView(text[start..<position]))
        guard abs(exponent) + whole.utf8.count + decimals.utf8.count <= Number.mostDigits else { throw .tooLarge }
        let value = Rational(digits: whole + decimals) * .powerOfTen(exponent - decimals.utf8.count)
        tokens.append(.number(try Number(bounding: value), text: text))
    }

    /// Reads the digits before the point, without separators.
    private mutating func readWhole(from start: Int) throws(CalculationError) -> String {
        var groups = [readDigits()]
        if isOfFunction.last != true {
            while scalar() == ",", scalar(1).map(Self.isDigit) == true {
                position += 1
                groups.append(readDigits())
            }
        }
        let isGrouped = (1...3).contains(groups[0].utf8.count) && groups.dropFirst().allSatisfy { $0.utf8.count == 3 }
        guard groups.count == 1 || isGrouped else {
            throw .misplacedComma(String(String.UnicodeScalarView(text[start..<position])))
        }
        return groups.joined()
    }

    private mutating func readDigits() -> String {
        take { Self.isDigit($0) || $0 == "_" }.filter { $0 != "_" }
    }

    /// Reads an exponent after an e; 0 if there is none.
    private mutating func readExponent() throws(CalculationError) -> Int {
        guard scalar() == "e" || scalar() == "E" else { return 0 }
        let isSigned = scalar(1) == "-" || scalar(1) == "+"
        guard scalar(isSigned ? 2 : 1).map(Self.isDigit) == true else { return 0 }
        let isNegative = scalar(1) == "-"
        position += isSigned ? 2 : 1
        let digits = take(while: Self.isDigit)
        guard let exponent = Int(digits), exponent <= Number.mostDigits else { throw .tooLarge }
        return isNegative ? -exponent : exponent
    }

    private mutating func readNumber(base: Int) throws(CalculationError) {
        let start = position
        position += 2
        let digits = take { Self.isDigit($0) || Self.isLetter($0) || $0 == "_" }.filter { $0 != "_" }
        let text = String(String.UnicodeScalarView(text[start..<position]))
        guard digits.allSatisfy({ $0.isASCII && $0.hexDigitValue.map { $0 < base } == true }) else {
            throw .notNumber(text)
        }
        tokens.append(.number(try Number(bounding: Rational(digits: digits, base: base)), text: text))
    }

    // MARK: Characters

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic && scalar != "π"
    }

    private static let raisedDigits: [Unicode.Scalar: Int] = [
        "⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9
    ]
}

/// A token of an expression.
enum Token {
    case number(Number, text: String)
    /// A constant, function, unit or word such as "in".
    case name(String)
    /// One of + - * / ^ % ! √ ( ) and the comma.
    case sign(Character)
    /// A superscript number, such as ².
    case power(Int, text: String)

    /// The token's approximate spelling.
    var text: String {
        switch self {
        case .number(_, let text), .power(_, let text): text
        case .name(let name): name
        case .sign(let sign): String(sign)
        }
    }

    func isSign(_ sign: Character) -> Bool {
        if case .sign(sign) = self { true } else { false }
    }
}
