/// An event of an XMPP stream.
package enum StreamEvent: Hashable, Sendable {
    /// The stream was opened.
    indirect case open(StreamHeader)
    /// A complete element at the top level: a stanza, or an element of the stream itself.
    case element(Element)
    /// An element at the top level that exceeded a limit, and was skipped to its end.
    indirect case skipped(SkippedElement)
    /// The other side has closed the stream.
    case close
}

/// What is known of an element that exceeded one of the ``StreamLimits``.
package struct SkippedElement: Hashable, Sendable {
    /// The local name, such as `presence`; nil if it couldn't be read.
    package let name: String?
    /// The namespace of the name; nil if it couldn't be read.
    package let namespace: String?
    /// The attributes `from`, `id` and `type`, if they have at most 3,071 bytes, the length of the longest address (RFC
    /// 7622).
    ///
    /// If the start tag exceeds a limit, `from` may be without its resource, and without a name and `from` nothing is known.
    package let attributes: Attributes
    /// The exceeded limit, for people: `an element has more than 64 attributes`.
    package let reason: String

    /// Creates a skipped element from its parts.
    package init(name: String?, namespace: String?, attributes: Attributes = [:], reason: String) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.reason = reason
    }

    /// The value of `from`, `id` or `type`; nil if it is missing or too long, or couldn't be read.
    package subscript(attribute: String) -> String? { attributes[attribute] }
}
