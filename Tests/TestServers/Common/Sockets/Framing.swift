/// How received data is split into frames.
public protocol Framing: Sendable {
    /// The delimiter after a sent frame.
    var ending: String { get }

    /// Adds received data, and returns the frames that are complete.
    mutating func split(_ bytes: ArraySlice<UInt8>) -> [String]
}

/// Lines, without their line breaks.
public struct LineFraming: Framing {
    private var partial: [UInt8] = []

    public let ending = "\r\n"

    public init() {}

    public mutating func split(_ bytes: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0a) {
            partial += rest[..<end]
            rest = rest[(end + 1)...]
            if partial.last == 0x0d { partial.removeLast() }
            lines.append(String(decoding: partial, as: UTF8.self))
            partial = []
        }
        partial += rest
        return lines
    }
}
