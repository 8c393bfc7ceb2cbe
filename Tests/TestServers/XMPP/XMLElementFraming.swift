import Foundation

/// Splits an XML stream into pieces: each child element of the stream, and the tags that open and close the stream.
///
/// It counts tags and knows nothing else about XML. Declarations (`<?xml …?>`) are omitted; text between two elements, such
/// as a keep-alive space, becomes a piece per byte.
public struct XMLElementFraming: Framing {
    private enum Place { case text, tag(quote: UInt8?) }

    private var place = Place.text
    /// The beginning of an incomplete piece.
    private var partial: [UInt8] = []
    /// The offset of the current tag in it.
    private var start = 0
    private var depth = 0

    public let ending = ""

    /// Creates a framing at the beginning of a stream.
    public init() {}

    public mutating func split(_ bytes: ArraySlice<UInt8>) -> [String] {
        var pieces: [String] = []
        for byte in bytes {
            switch place {
            case .text where byte == UInt8(ascii: "<"):
                place = .tag(quote: nil)
                start = partial.count
                partial.append(byte)
            case .text:
                if depth > 1 { partial.append(byte) }
                if depth == 1 { pieces.append(String(decoding: [byte], as: UTF8.self)) }
            case .tag(let quote):
                partial.append(byte)
                switch (quote, byte) {
                case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")): place = .tag(quote: byte)
                case (nil, UInt8(ascii: ">")):
                    place = .text
                    if endsPiece(partial[start...]) {
                        pieces.append(String(decoding: partial, as: UTF8.self))
                        partial = []
                    }
                case (byte, _): place = .tag(quote: nil)
                default: break
                }
            }
        }
        return pieces
    }

    /// Whether a tag completes a piece.
    private mutating func endsPiece(_ tag: ArraySlice<UInt8>) -> Bool {
        let name = tag.dropFirst().prefix { ![0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: ">")].contains($0) }
        switch name.first {
        case UInt8(ascii: "?"), UInt8(ascii: "!"):
            partial.removeSubrange(start...)
            return false
        case UInt8(ascii: "/"):
            depth = max(0, depth - 1)
            return depth <= 1
        default:
            // After the login, a new stream begins inside the previous one.
            if name.elementsEqual("stream:stream".utf8) {
                partial.removeSubrange(..<start)
                depth = 1
                return true
            }
            if tag.dropLast().last == UInt8(ascii: "/") { return depth <= 1 }
            depth += 1
            return false
        }
    }
}

/// Returns the value of an attribute of the first tag, without unescaping it.
public func attribute(_ name: String, of xml: String) -> String? {
    let tag = xml.prefix { $0 != ">" }
    for quote in ["'", "\""] {
        if let start = tag.range(of: " \(name)=\(quote)"), let end = tag[start.upperBound...].range(of: quote) {
            return String(tag[start.upperBound..<end.lowerBound])
        }
    }
    return nil
}

/// Returns a text escaped for an element or attribute.
public func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("'", with: "&apos;").replacing("\"", with: "&quot;")
}
