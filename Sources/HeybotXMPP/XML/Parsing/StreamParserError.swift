/// The reason why a stream can't be parsed any further.
package struct StreamParserError: Error, Hashable, CustomStringConvertible {
    /// The stream error to send before closing, by its name in RFC 6120 section 4.9.3.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        /// The XML isn't valid in a stream.
        case badFormat = "bad-format"
        /// The stream isn't an XMPP stream.
        case invalidNamespace = "invalid-namespace"
        /// The input isn't well-formed XML.
        case notWellFormed = "not-well-formed"
        /// A limit is exceeded, or data follows where TLS should begin.
        case policyViolation = "policy-violation"
        /// There isn't enough memory.
        case resourceConstraint = "resource-constraint"
        /// The XML contains something that XMPP doesn't allow, such as a comment.
        case restrictedXML = "restricted-xml"
        /// The stream isn't in UTF-8.
        case unsupportedEncoding = "unsupported-encoding"
    }

    /// The stream error to send to the other side.
    package let condition: Condition
    /// What is wrong, for people.
    package let reason: String

    init(_ condition: Condition, _ reason: String) {
        self.condition = condition
        self.reason = reason
    }

    /// Creates the error for XML that XMPP doesn't allow (RFC 6120 section 11.1).
    static func restricted(_ what: String) -> StreamParserError {
        StreamParserError(.restrictedXML, "it contains \(what)")
    }

    /// One line for people.
    package var description: String {
        condition == .resourceConstraint
            ? reason : "the server sent an invalid stream: \(reason) (\(condition.rawValue))"
    }
}
