/// What a stream brings.
package enum StreamEvent: Hashable, Sendable {
    /// The stream has begun.
    indirect case open(StreamHeader)
    /// An element directly in the stream, complete: a stanza, or one of the stream's own.
    case element(Element)
    /// An element directly in the stream that was over a limit: it was read to its end, and nothing of it was kept.
    indirect case skipped(SkippedElement)
    /// The other side has closed the stream; nothing more comes.
    case close
}

/// What is known of an element that was over one of the ``StreamLimits``.
package struct SkippedElement: Hashable, Sendable {
    /// Its local name, such as `presence`; nil if its start tag couldn't be read.
    package let name: String?
    /// The namespace of its name; nil if its start tag couldn't be read.
    package let namespace: String?
    /// Its attributes `from`, `id` and `type`, of at most 3,071 bytes each, the length of the longest address (RFC 7622).
    package let attributes: Attributes
    /// Which limit it was over, for people: `an element has more than 64 attributes`.
    package let reason: String

    /// Makes one of its parts.
    package init(name: String?, namespace: String?, attributes: Attributes = [:], reason: String) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.reason = reason
    }

    /// The value of `from`, `id` or `type`; nil if it has none, if that is too long, or if the start tag couldn't be read.
    package subscript(attribute: String) -> String? { attributes[attribute] }
}
