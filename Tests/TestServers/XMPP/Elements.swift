import Foundation

/// The elements of an XML stream: each child of the stream whole, and the tags that open and close the stream.
///
/// It counts tags and knows nothing else of XML. What declares something (`<?xml …?>`) is left out; what stands between
/// two elements, such as a space that keeps a connection alive, is a piece for each byte.
public struct Elements: Framing {
    private enum Place { case text, tag(quote: UInt8?) }

    private var place = Place.text
    /// What came of the piece that isn't whole.
    private var partial: [UInt8] = []
    /// Where the tag begins in it.
    private var start = 0
    private var depth = 0

    public let ending = ""

    /// Elements from the beginning of a stream.
    public init() {}

    public mutating func cut(_ bytes: ArraySlice<UInt8>) -> [String] {
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

    /// Whether a piece is whole with this tag.
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
            // Streams begin again in the middle of the last one, after a login.
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

/// The value of an attribute of the tag that some XML begins with, as it was sent.
public func attribute(_ name: String, of xml: String) -> String? {
    let tag = xml.prefix { $0 != ">" }
    for quote in ["'", "\""] {
        if let start = tag.range(of: " \(name)=\(quote)"), let end = tag[start.upperBound...].range(of: quote) {
            return String(tag[start.upperBound..<end.lowerBound])
        }
    }
    return nil
}

/// Text as it stands in XML, in an element or an attribute.
public func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        .replacing("'", with: "&apos;").replacing("\"", with: "&quot;")
}
