/// The limits of a stream's size and structure.
///
/// An element at the top level that exceeds one of them is skipped (``StreamEvent/skipped(_:)``): it may come from a
/// stranger, so it mustn't end the stream. An opening tag of the stream that exceeds one ends the stream with
/// `policy-violation`. Each value is the highest that is allowed.
package struct StreamLimits: Hashable, Sendable {
    /// Bytes of an element at the top level, including its tags; by default 256 KiB.
    package var elementBytes: Int
    /// Bytes up to the end of the stream's opening tag; by default 16 KiB.
    package var headerBytes: Int
    /// Bytes of one tag; by default 32 KiB.
    ///
    /// An incomplete tag is kept and parsed again with each piece of it that arrives, and its attributes can take memory
    /// quadratic in its length.
    package var tagBytes: Int
    /// Bytes of an element's or attribute's name including its namespace; by default 1 KiB.
    package var nameBytes: Int
    /// The depth of nested elements, counted from the top level; by default 32.
    ///
    /// Elements are compared, written and freed recursively, so it can't exceed 512.
    package var depth: Int
    /// Attributes of an element, without namespace declarations; by default 64.
    package var attributes: Int
    /// Elements and texts in an element at the top level, including itself; by default 16,384.
    ///
    /// Without this limit, 256 KiB of the shortest ones would take 6 MiB of memory.
    package var nodes: Int

    /// Creates limits with the defaults above.
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
