/// A frame as bytes: the JSON of a ``GatewayFrame`` or ``WorkerFrame``, and the content of a file that belongs to it.
///
/// On the socket, the lengths of both come first, each as four bytes, the highest first.
package struct FrameBytes: Hashable, Sendable {
    /// The longest JSON, in bytes.
    package static let longestJSON = 4 << 20
    /// The longest content of a file, in bytes.
    package static let longestFile = 32 << 20

    /// The JSON.
    package var json: [UInt8]
    /// The content of the file; empty if there is none.
    package var file: [UInt8]

    /// Creates a frame.
    package init(json: [UInt8], file: [UInt8] = []) { (self.json, self.file) = (json, file) }

    /// Whether it can't be sent.
    package var isTooLong: Bool { json.count > Self.longestJSON || file.count > Self.longestFile }

    /// The frame as it is sent; nil if it is too long.
    package var sent: [UInt8]? {
        guard !isTooLong else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + json.count + file.count)
        for length in [json.count, file.count] {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        }
        bytes += json
        bytes += file
        return bytes
    }
}

/// Cuts a stream of bytes into frames.
package struct FrameSplitter: Sendable {
    private static let headLength = 8

    private var bytes: [UInt8] = []
    /// Where the first frame begins that isn't complete.
    private var start = 0
    /// Whether a frame was too long: then nothing after it can be read.
    package private(set) var isBroken = false

    /// Creates a splitter at the beginning of a stream.
    package init() {}

    /// Takes bytes, and returns the frames that they complete.
    package mutating func split(_ more: UnsafeRawBufferPointer) -> [FrameBytes] {
        guard !isBroken else { return [] }
        bytes += more
        var frames: [FrameBytes] = []
        while bytes.count - start >= Self.headLength {
            let (json, file) = (length(at: start), length(at: start + 4))
            guard json <= FrameBytes.longestJSON, file <= FrameBytes.longestFile else {
                (bytes, start, isBroken) = ([], 0, true)
                return frames
            }
            let body = start + Self.headLength
            let end = body + json + file
            guard bytes.count >= end else { break }
            frames.append(
                FrameBytes(json: Array(bytes[body..<body + json]), file: Array(bytes[body + json..<end])))
            start = end
        }
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.count <= 64 << 10)
            start = 0
        } else if start > 64 << 10 {
            bytes.removeFirst(start)
            start = 0
        }
        return frames
    }

    private func length(at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
