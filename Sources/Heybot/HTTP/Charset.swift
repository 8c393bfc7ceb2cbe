#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How bytes are to be read as text.
struct Charset: Hashable {
    /// Its name, in lower case.
    let name: String

    /// The one that a Content-Type names, or else UTF-8.
    init(contentType: String?) {
        let parameters = (contentType ?? "").split(separator: ";").dropFirst()
        let charset = parameters.lazy.compactMap { parameter -> String? in
            let halves = parameter.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, Self.trimmed(halves[0]).lowercased() == "charset" else { return nil }
            return Self.trimmed(halves[1]).lowercased()
        }
        name = charset.first ?? "utf-8"
    }

    /// The text; what can't be read is mended with U+FFFD, and a charset that isn't known is taken for UTF-8.
    func text(of bytes: [UInt8]) -> String {
        switch name {
        case "utf-8", "utf8", "us-ascii", "ascii": Self.utf8(bytes)
        // What says that it is Latin 1 is read as its superset (WHATWG Encoding section 4.2).
        case "iso-8859-1", "latin1": Self.converted(bytes, from: "windows-1252") ?? Self.utf8(bytes)
        default: Self.converted(bytes, from: name) ?? Self.utf8(bytes)
        }
    }

    private static func utf8(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// What the system's own converter makes of it; nil where it doesn't know the charset.
    private static func converted(_ bytes: [UInt8], from charset: String) -> String? {
        // A name of anything else could ask the converter for more than a charset.
        guard charset.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "z") || "-".utf8.contains($0) }),
            let converter = iconv_open("UTF-8", charset), converter != iconv_t(bitPattern: -1)
        else { return nil }
        defer { iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        var text: [UInt8] = []
        var buffer = [CChar](repeating: 0, count: 4_096)
        input.withUnsafeMutableBufferPointer { input in
            var next = input.baseAddress
            var left = input.count
            while left > 0 {
                let (result, problem) = buffer.withUnsafeMutableBufferPointer { buffer in
                    var end = buffer.baseAddress
                    var room = buffer.count
                    let result = iconv(converter, &next, &left, &end, &room)
                    let problem = errno
                    text += buffer.dropLast(room).map { UInt8(bitPattern: $0) }
                    return (result, problem)
                }
                // With E2BIG there is more where that came from.
                guard result == .max, problem != E2BIG else { continue }
                text += "\u{FFFD}".utf8
                next = next?.advanced(by: 1)
                left -= 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func trimmed(_ text: Substring) -> String {
        let characters = " \t\"'"
        let start = text.drop { characters.contains($0) }
        return String(start.reversed().drop { characters.contains($0) }.reversed())
    }
}
