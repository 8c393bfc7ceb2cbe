import NIOCore

/// Bytes to send, and where they may be split: not within what was added at once, if that fits into a record of TLS.
///
/// The other side reads whole records only. If the connection breaks, it has no part of a stanza then, which Prosody 0.12 would
/// take for the beginning of what a resumed session sends on its next connection.
struct OutboundBytes {
    /// The most bytes in a record of TLS (RFC 8446 5.1).
    private static let longestRecord = 16_384

    private(set) var buffer = ByteBuffer()
    /// Where records end, except the last one, as indices of `buffer`.
    private var recordEnds: [Int] = []

    var count: Int { buffer.readableBytes }
    var capacity: Int { buffer.capacity }

    mutating func append(_ added: [UInt8]) {
        let start = max(recordEnds.last ?? 0, buffer.readerIndex)
        if buffer.writerIndex > start, added.count > Self.longestRecord - (buffer.writerIndex - start) {
            recordEnds.append(buffer.writerIndex)
        }
        buffer.writeBytes(added)
    }

    /// Removes bytes from the start that were sent already.
    mutating func removeFirst(_ count: Int) { buffer.moveReaderIndex(forwardBy: count) }

    /// Removes all bytes, but keeps the memory.
    mutating func removeAll() {
        buffer.clear()
        recordEnds.removeAll()
    }

    /// Removes and returns the next bytes: a record, or if something longer was added at once, as much as is allowed.
    ///
    /// - Parameters:
    ///   - most: The most bytes to return.
    ///   - isEncrypted: Whether they are split into records.
    mutating func next(upTo most: Int, isEncrypted: Bool) -> ByteBuffer? {
        if !isEncrypted, !recordEnds.isEmpty { recordEnds.removeAll() }
        while let end = recordEnds.first, end <= buffer.readerIndex { recordEnds.removeFirst() }
        let count = min(most, recordEnds.first.map { $0 - buffer.readerIndex } ?? buffer.readableBytes)
        return count > 0 ? buffer.readSlice(length: count) : nil
    }
}
