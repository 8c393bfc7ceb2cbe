/// A piece of what was typed.
enum Token {
    case number(Number, text: String)
    /// A constant, function, unit or word such as "in".
    case name(String)
    /// One of + - * / ^ % ! √ ( ) and the comma.
    case sign(Character)
    /// A raised number, such as ².
    case power(Int, text: String)

    /// As it was typed, about.
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
