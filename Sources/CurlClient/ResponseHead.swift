import Heybot

/// The header of an answer, which comes line by line.
///
/// Before the one that counts there may be others, of which nothing stays: "100 Continue" and the like.
struct ResponseHead {
    /// How many bytes of header an answer may have in all.
    static let limit = 256 << 10

    private var size = 0
    /// Whether what ends it is still to come.
    private(set) var isOpen = false
    private var lines: [String] = []

    /// Takes a line, with what ends it; false if that is more than there may be.
    mutating func add(_ line: some Collection<UInt8>) -> Bool {
        size += line.count
        guard size <= Self.limit else { return false }
        let text = String(decoding: line, as: UTF8.self)
        let content = Self.trimmed(text[...])
        if text.hasPrefix("HTTP/") {
            isOpen = true
            lines = []
        } else if content.isEmpty {
            // What follows the body is no header any more.
            isOpen = false
        } else if isOpen, let first = line.first, Self.isBlank(first) {
            // A field over several lines (RFC 9112 section 5.2).
            if let last = lines.popLast() { lines.append("\(last) \(content)") }
        } else if isOpen {
            lines.append(content)
        }
        return true
    }

    /// How many codings libcurl would unpack, one after the other.
    var codings: Int {
        let headers = headers
        return ["Content-Encoding", "Transfer-Encoding"].reduce(0) { count, name in
            let names = headers.values(of: name).flatMap { $0.split(separator: ",") }
                .map { Self.trimmed($0).lowercased() }
            return count + names.count { !["", "chunked", "identity"].contains($0) }
        }
    }

    /// Its fields; those that can't be fields are left out.
    var headers: HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
            headers.add(Self.trimmed(line[line.utf8.index(after: colon)...]), for: String(line[..<colon]))
        }
        return headers
    }

    /// A text without the blanks and line breaks around it.
    static func trimmed(_ text: Substring) -> String {
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(decoding: start[..<end], as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0D, 0x0A].contains(byte)
    }
}
