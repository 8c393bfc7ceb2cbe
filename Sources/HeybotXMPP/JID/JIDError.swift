/// Why something is no XMPP address.
package enum JIDError: Error, Hashable, CustomStringConvertible {
    /// What stands before the `@` is wrong; `in` is the whole address, as it was given.
    case local(Flaw, in: String)
    /// The domain is wrong.
    case domain(Flaw, in: String)
    /// What stands after the `/` is wrong.
    case resource(Flaw, in: String)

    /// What is wrong with a part.
    package enum Flaw: Error, Hashable {
        /// There is nothing in it.
        case empty
        /// It has more than 1,023 bytes.
        case tooLong
        /// A character is never allowed in this part.
        case forbidden(Unicode.Scalar)
        /// A character is allowed in this part, but not between the ones it is between.
        case misplaced(Unicode.Scalar)
        /// Characters written from right to left are mixed with others against RFC 5893 section 2.
        case mixedDirections
        /// There is nothing before, after or between dots of the domain.
        case emptyLabel
        /// What is between dots of the domain has more than 63 bytes, as the DNS counts them.
        case longLabel
        /// The domain looks like an IP address, but is none.
        case noIPAddress
    }

    /// One line for people; of the address it has 100 characters at most, and none that can't be seen.
    package var description: String {
        switch self {
        case .local(let flaw, let text):
            Self.line(text, flaw.words("what stands before the @", empty: "nothing stands before the @"))
        case .domain(let flaw, let text): Self.line(text, flaw.words("the domain", empty: "it has no domain"))
        case .resource(let flaw, let text):
            Self.line(text, flaw.words("what stands after the /", empty: "nothing stands after the /"))
        }
    }

    private static func line(_ text: String, _ words: String) -> String { "\(quoted(text)) is no address: \(words)" }

    private static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(100)
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        quoted.append(contentsOf: shown.map { Visibility(of: $0) == .none ? "\u{fffd}" : $0 })
        if shown.endIndex != text.unicodeScalars.endIndex { quoted.append("…") }
        quoted.append("\"")
        return String(quoted)
    }
}

extension JIDError.Flaw {
    /// What is wrong, in words.
    ///
    /// - Parameters:
    ///   - part: the words for the part it is wrong with.
    ///   - empty: the words for its being empty.
    fileprivate func words(_ part: String, empty: String) -> String {
        switch self {
        case .empty: empty
        case .tooLong: "\(part) has more than 1,023 bytes"
        case .forbidden(let scalar): "\(Self.name(scalar)) can't be in \(part)"
        case .misplaced(let scalar): "\(Self.name(scalar)) can't be where it is in \(part)"
        case .mixedDirections: "\(part) mixes writing from right to left with other characters"
        case .emptyLabel: "\(part) has a dot with nothing before or after it"
        case .longLabel: "\(part) has more than 63 bytes between two dots"
        case .noIPAddress: "\(part) looks like an IP address, but is none"
        }
    }

    private static func name(_ scalar: Unicode.Scalar) -> String {
        let code = String(scalar.value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        return switch Visibility(of: scalar) {
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

/// What somebody sees of a character.
private enum Visibility {
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
