/// What a stream brings.
public enum StreamEvent: Hashable, Sendable {
    /// The stream has begun.
    indirect case open(StreamHeader)
    /// An element directly in the stream, complete: a stanza, or one of the stream's own.
    case element(Element)
    /// The other side has closed the stream; nothing more comes.
    case close
}
