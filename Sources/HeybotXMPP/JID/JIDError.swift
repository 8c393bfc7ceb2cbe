/// The reason why a text isn't a valid XMPP address.
package enum JIDError: Error, Hashable, CustomStringConvertible {
    /// The localpart before the `@` is invalid; `in` is the whole address, as it was given.
    case local(Reason, in: String)
    /// The domain is invalid.
    case domain(Reason, in: String)
    /// The resource after the `/` is invalid.
    case resource(Reason, in: String)

    /// What is wrong with a part.
    package enum Reason: Error, Hashable {
        /// The part is empty.
        case empty
        /// The part has more than 1,023 bytes.
        case tooLong
        /// A character is never allowed in this part.
        case forbidden(Unicode.Scalar)
        /// A character isn't allowed at its position.
        case misplaced(Unicode.Scalar)
        /// The Bidi rule (RFC 5893 section 2) is violated.
        case mixedDirections
        /// The domain has an empty label.
        case emptyLabel
        /// A label of the domain has more than 63 bytes in the DNS.
        case longLabel
        /// The domain looks like an IP address, but isn't a valid one.
        case invalidIPAddress
    }

    /// One line for people; it quotes at most 100 characters of the address, and no invisible ones.
    package var description: String {
        switch self {
        case .local(let reason, let text):
            Self.line(text, reason.words("the part before the @", empty: "there is nothing before the @"))
        case .domain(let reason, let text): Self.line(text, reason.words("the domain", empty: "it has no domain"))
        case .resource(let reason, let text):
            Self.line(text, reason.words("the part after the /", empty: "there is nothing after the /"))
        }
    }

    private static func line(_ text: String, _ words: String) -> String {
        "\(quoted(text)) isn't a valid address: \(words)"
    }

    private static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(100)
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        quoted.append(contentsOf: shown.map { CharacterDisplay(of: $0) == .none ? "\u{fffd}" : $0 })
        if shown.endIndex != text.unicodeScalars.endIndex { quoted.append("…") }
        quoted.append("\"")
        return String(quoted)
    }
}

extension JIDError.Reason {
    /// Returns a description of the problem.
    ///
    /// - Parameters:
    ///   - part: The name of the part.
    ///   - empty: The text for an empty part.
    fileprivate func words(_ part: String, empty: String) -> String {
        switch self {
        case .empty: empty
        case .tooLong: "\(part) has more than 1,023 bytes"
        case .forbidden(let scalar): "\(Self.name(scalar)) isn't allowed in \(part)"
        case .misplaced(let scalar): "\(Self.name(scalar)) isn't allowed at its position in \(part)"
        case .mixedDirections: "\(part) mixes right-to-left and other characters"
        case .emptyLabel: "\(part) has a dot with nothing before or after it"
        case .longLabel: "\(part) has more than 63 bytes between two dots"
        case .invalidIPAddress: "\(part) looks like an IP address, but isn't valid"
        }
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        let code = String(scalar.value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        return switch CharacterDisplay(of: scalar) {
        case _ where scalar == " ": "a space"
        case _ where scalar == "\"": "a quotation mark"
        case _ where scalar == "-": "a hyphen"
        case .itself: scalar.isASCII ? "\"\(scalar)\"" : "\"\(scalar)\" (\(number))"
        case .blank: "a space (\(number))"
        case .onOthers: "the mark \(number)"
        case .none: scalar.properties.generalCategory == .control ? "a control character (\(number))" : number
        }
    }
}

/// How a character is displayed.
private enum CharacterDisplay {
    case itself, onOthers, blank, none

    init(of scalar: Unicode.Scalar) {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: self = .none
        case .nonspacingMark, .spacingMark, .enclosingMark:
            self = properties.isDefaultIgnorableCodePoint ? .none : .onOthers
        case .spaceSeparator: self = .blank
        default: self = properties.isDefaultIgnorableCodePoint ? .none : .itself
        }
    }
}
