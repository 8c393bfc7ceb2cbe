/// Why an SRV lookup failed.
///
/// The description is one line that names what was looked up.
package enum SRVLookupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name isn't a valid DNS name.
    case badName(String)
    /// No name server answers or finds an answer; may be temporary.
    case unanswered(String)
    /// The name server refuses the query, or doesn't understand it.
    case refused(String)
    /// It took too long.
    case timedOut(String, Duration)
    /// The response is invalid; the reason is text.
    case malformed(String, reason: String)
    /// This machine can't send the query; the reason is text.
    case unusable(String, reason: String)
    /// The task was canceled.
    case cancelled(String)

    /// One line, for logs and users.
    package var description: String { fix.map { "\(reason); \($0)" } ?? reason }

    /// A suggested fix; nil if there is none.
    package var fix: String? {
        switch self {
        case .unanswered: "check that the name servers can be reached"
        case .refused: "check which name servers this machine uses"
        case .timedOut: "check that name servers can be reached"
        case .badName, .malformed, .unusable, .cancelled: nil
        }
    }

    /// What is wrong, without the fix.
    package var reason: String {
        switch self {
        case .badName(let name):
            "\(Self.line(name)) can't be looked up: a name consists of letters, digits, - and _, "
                + "with dots between parts of up to 63 characters"
        case .unanswered(let name):
            "\(Self.line(name)) can't be looked up: no name server has an answer"
        case .refused(let name):
            "\(Self.line(name)) can't be looked up: the name server refuses the query"
        case .timedOut(let name, let time):
            "\(Self.line(name)) can't be looked up: no answer within \(time)"
        case .malformed(let name, let reason):
            "\(Self.line(name)) can't be looked up: the answer is invalid: \(reason)"
        case .unusable(let name, let reason): "\(Self.line(name)) can't be looked up: \(reason)"
        case .cancelled(let name): "looking up \(Self.line(name)) was canceled"
        }
    }

    /// Sanitizes a name for one line: it may contain anything.
    private static func line(_ name: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in name.unicodeScalars.prefix(253) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text.append("?")
            default: text.append(scalar)
            }
        }
        return text.isEmpty ? "an empty name" : String(text)
    }
}
