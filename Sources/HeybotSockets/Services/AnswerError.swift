/// Why an answer of a name server's can't be used.
enum AnswerError: Error, Hashable, CustomStringConvertible {
    /// It ends where something should follow.
    case cutOff
    /// The name server left out what didn't fit.
    case incomplete
    /// It is a question.
    case noAnswer
    /// The name server's own error (RFC 1035 section 4.1.1).
    case code(Int)
    /// A name is too long, or its pointers don't lead backwards.
    case badName
    /// A record's length isn't that of what is in it.
    case badLength
    /// No record leads to a host, though there are some.
    case noHost

    /// A few plain words.
    var description: String {
        switch self {
        case .cutOff: "it is cut off"
        case .incomplete: "it isn't complete"
        case .noAnswer: "it is no answer"
        case .code(let code): "error \(code)"
        case .badName: "a name in it can't be read"
        case .badLength: "a record in it has a wrong length"
        case .noHost: "it names no host"
        }
    }
}
