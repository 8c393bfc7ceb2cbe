/// Why a stream can't be read any further.
package struct StreamParserError: Error, Hashable, CustomStringConvertible {
    /// The stream error to send before closing, by its name in RFC 6120 section 4.9.3.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        /// It's XML, but not as a stream has it.
        case badFormat = "bad-format"
        /// The stream isn't one of XMPP.
        case invalidNamespace = "invalid-namespace"
        /// It's no XML.
        case notWellFormed = "not-well-formed"
        /// It's against the rules here: a stream header over a limit, or text where TLS should begin.
        case policyViolation = "policy-violation"
        /// There is no memory for it.
        case resourceConstraint = "resource-constraint"
        /// It's XML that has no place in XMPP, such as a comment.
        case restrictedXML = "restricted-xml"
        /// It isn't in UTF-8.
        case unsupportedEncoding = "unsupported-encoding"
    }

    /// What to tell the other side.
    package let condition: Condition
    /// What is wrong, for people.
    package let reason: String

    init(_ condition: Condition, _ reason: String) {
        self.condition = condition
        self.reason = reason
    }

    /// It has something in it that XML allows and XMPP doesn't (RFC 6120 section 11.1).
    static func restricted(_ what: String) -> StreamParserError {
        StreamParserError(.restrictedXML, "it has \(what) in it")
    }

    /// One line for people.
    package var description: String { "the server sent what can't be read: \(reason) (\(condition.rawValue))" }
}
