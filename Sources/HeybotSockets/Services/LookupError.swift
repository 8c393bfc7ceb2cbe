/// Why it isn't known where a service is offered; described in one line that names what was asked for.
package enum LookupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It isn't a name that DNS could have.
    case badName(String)
    /// No name server answers, or none can find out; it may pass.
    case unanswered(String)
    /// The name server refuses to tell, or doesn't understand.
    case refused(String)
    /// It took longer than it may.
    case slow(String, Duration)
    /// The answer can't be used; the reason is in plain words.
    case malformed(String, reason: String)
    /// This machine can't ask; the reason is in plain words.
    case unusable(String, reason: String)
    /// The task was cancelled.
    case cancelled(String)

    /// One line, for people.
    package var description: String { cure.map { "\(reason); \($0)" } ?? reason }

    /// What can be done about it; nil if there is nothing to name.
    package var cure: String? {
        switch self {
        case .unanswered: "check that they can be reached"
        case .refused: "check which one this machine asks"
        case .slow: "check that name servers can be reached"
        case .badName, .malformed, .unusable, .cancelled: nil
        }
    }

    /// What is wrong, without what can be done about it.
    package var reason: String {
        switch self {
        case .badName(let name):
            "\(Self.line(name)) can't be looked up: a name is letters, digits, - and _ between dots, up to 63 each"
        case .unanswered(let name):
            "\(Self.line(name)) can't be looked up: no name server has an answer"
        case .refused(let name):
            "\(Self.line(name)) can't be looked up: the name server refuses"
        case .slow(let name, let time):
            "\(Self.line(name)) can't be looked up: no answer within \(time)"
        case .malformed(let name, let reason):
            "\(Self.line(name)) can't be looked up: the answer can't be used, \(reason)"
        case .unusable(let name, let reason): "\(Self.line(name)) can't be looked up: \(reason)"
        case .cancelled(let name): "looking up \(Self.line(name)) was cancelled"
        }
    }

    /// A name can be anything as long as nobody has looked at it.
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
