import Heybot

/// The header of a response, received line by line.
///
/// Headers of interim responses, such as "100 Continue", are dropped.
struct ResponseHead {
    /// The maximum size of a response's headers in bytes.
    static let limit = 256 << 10

    private var size = 0
    /// Whether the header is still incomplete.
    private(set) var isOpen = false
    private var lines: [String] = []

    /// Adds a line with its line ending; false if the limit is exceeded.
    mutating func add(_ line: some Collection<UInt8>) -> Bool {
        size += line.count
        guard size <= Self.limit else { return false }
        let text = String(decoding: line, as: UTF8.self)
        let content = Self.trimmed(text[...])
        if text.hasPrefix("HTTP/") {
            isOpen = true
            lines = []
        } else if content.isEmpty {
            // Trailers after the body aren't part of the header.
            isOpen = false
        } else if isOpen, let first = line.first, Self.isBlank(first) {
            // A folded field (RFC 9112 section 5.2).
            if let last = lines.popLast() { lines.append("\(last) \(content)") }
        } else if isOpen {
            lines.append(content)
        }
        return true
    }

    /// The number of codings that libcurl would decode.
    var codings: Int {
        let headers = headers
        return ["Content-Encoding", "Transfer-Encoding"].reduce(0) { count, name in
            let names = headers.values(of: name).flatMap { $0.split(separator: ",") }
                .map { Self.trimmed($0).lowercased() }
            return count + names.count { !["", "chunked", "identity"].contains($0) }
        }
    }

    /// The valid header fields.
    var headers: HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
            headers.add(Self.trimmed(line[line.utf8.index(after: colon)...]), for: String(line[..<colon]))
        }
        return headers
    }

    /// Trims blanks and line breaks.
    static func trimmed(_ text: Substring) -> String {
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(decoding: start[..<end], as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0D, 0x0A].contains(byte)
    }
}
