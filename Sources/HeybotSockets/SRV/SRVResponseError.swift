/// Why a DNS response is invalid.
enum SRVResponseError: Error, Hashable, CustomStringConvertible {
    /// It is truncated.
    case cutOff
    /// The name server has set the truncation flag.
    case incomplete
    /// It is a query.
    case noAnswer
    /// The name server's response code (RFC 1035 section 4.1.1).
    case code(Int)
    /// A name is too long, or its pointers don't lead backwards.
    case badName
    /// A record's length doesn't match its content.
    case badLength
    /// There are records, but none leads to a host.
    case noHost

    /// A short reason.
    var description: String {
        switch self {
        case .cutOff: "it is cut off"
        case .incomplete: "it isn't complete"
        case .noAnswer: "it is a query, not an answer"
        case .code(let code): "it reports error \(code)"
        case .badName: "a name in it can't be read"
        case .badLength: "a record in it has a wrong length"
        case .noHost: "it names no host"
        }
    }
}
