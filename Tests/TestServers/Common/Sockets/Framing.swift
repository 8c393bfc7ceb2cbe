/// How what comes is cut into the pieces that a test waits for.
public protocol Framing: Sendable {
    /// What ends a piece that is sent.
    var ending: String { get }

    /// Takes what came, and returns the pieces that are whole now.
    mutating func cut(_ bytes: ArraySlice<UInt8>) -> [String]
}

/// Lines, without what ends them.
public struct Lines: Framing {
    private var partial: [UInt8] = []

    public let ending = "\r\n"

    public init() {}

    public mutating func cut(_ bytes: ArraySlice<UInt8>) -> [String] {
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
