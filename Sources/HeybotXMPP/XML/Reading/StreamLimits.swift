/// How much of a stream is taken in.
///
/// An element directly in the stream that is over one of them is read to its end and not kept
/// (``StreamEvent/skipped(_:)``): it may be a stranger's, so it mustn't end the stream. A stream's opening tag over one of
/// them ends the stream with `policy-violation`. Each is the most that is let pass.
package struct StreamLimits: Hashable, Sendable {
    /// Bytes of an element directly in the stream, with its tags: 256 KiB.
    package var elementBytes: Int
    /// Bytes up to the end of the stream's opening tag: 16 KiB.
    package var headerBytes: Int
    /// Bytes of one tag: 32 KiB.
    ///
    /// A tag is kept and read again with each piece of it that comes, and its attributes can take room by its square.
    package var tagBytes: Int
    /// Bytes of the name of an element or attribute together with its namespace: 1 KiB.
    package var nameBytes: Int
    /// Elements within each other, from the one directly in the stream on: 32.
    ///
    /// Elements are compared, written and freed by recursion, so it can't be more than 512.
    package var depth: Int
    /// Attributes of an element, without declarations of namespaces: 64.
    package var attributes: Int
    /// Elements and texts within an element directly in the stream, itself included: 16,384.
    ///
    /// Without it, 256 KiB of the shortest ones would take 6 MiB of memory.
    package var nodes: Int

    /// Makes them; what isn't told is as above.
    package init(
        elementBytes: Int = 262_144, headerBytes: Int = 16_384, tagBytes: Int = 32_768, nameBytes: Int = 1_024,
        depth: Int = 32, attributes: Int = 64, nodes: Int = 16_384
    ) {
        self.elementBytes = elementBytes
        self.headerBytes = headerBytes
        self.tagBytes = tagBytes
        self.nameBytes = nameBytes
        self.depth = depth
        self.attributes = attributes
        self.nodes = nodes
    }
}
