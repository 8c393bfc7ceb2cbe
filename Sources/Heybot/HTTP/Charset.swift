#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A character encoding.
struct Charset: Hashable {
    /// The name, in lower case.
    let name: String

    /// Reads the `charset` parameter of a Content-Type; the default is UTF-8.
    init(contentType: String?) {
        let parameters = (contentType ?? "").split(separator: ";").dropFirst()
        let charset = parameters.lazy.compactMap { parameter -> String? in
            let halves = parameter.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, Self.trimmed(halves[0]).lowercased() == "charset" else { return nil }
            return Self.trimmed(halves[1]).lowercased()
        }
        name = charset.first ?? "utf-8"
    }

    /// Decodes bytes.
    ///
    /// Invalid bytes become U+FFFD, and an unknown charset is decoded as UTF-8.
    ///
    /// A byte order mark of UTF-8 or UTF-16 takes precedence and is removed (WHATWG Encoding section 6).
    func text(of bytes: [UInt8]) -> String {
        let mark = Self.marks.first { bytes.starts(with: $0.bytes) }
        let rest = bytes[(mark?.bytes.count ?? 0)...]
        let converter = Self.converters[mark?.charset ?? name]
        return converter.flatMap { Self.converted(rest, from: $0) } ?? String(decoding: rest, as: UTF8.self)
    }

    private static let marks: [(bytes: [UInt8], charset: String)] = [
        ([0xEF, 0xBB, 0xBF], "utf-8"), ([0xFE, 0xFF], "utf-16be"), ([0xFF, 0xFE], "utf-16le")
    ]

    /// The charsets of the web except UTF-8, with the names that iconv uses.
    ///
    /// Each is read as its superset (WHATWG Encoding section 4.2). iconv supports many more, but some of its decoders are less
    /// safe.
    private static let converters: [String: String] = {
        var names = [
            "iso-8859-1": "windows-1252", "latin1": "windows-1252", "iso-8859-9": "windows-1254",
            "iso-8859-11": "cp874", "tis-620": "cp874", "windows-874": "cp874", "shift_jis": "cp932",
            "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932", "gb2312": "gb18030",
            "gbk": "gb18030", "big5": "big5-hkscs", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "utf-16": "utf-16le"
        ]
        let same = [
            "koi8-r", "koi8-u", "ibm866", "macintosh", "gb18030", "euc-jp", "iso-2022-jp", "utf-16le", "utf-16be"
        ]
        let parts = [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16].map { "iso-8859-\($0)" }
        for name in same + parts + (1250...1258).map({ "windows-\($0)" }) { names[name] = name }
        return names
    }()

    /// Decodes bytes with iconv; nil if it doesn't support the charset.
    private static func converted(_ bytes: ArraySlice<UInt8>, from charset: String) -> String? {
        guard let converter = iconv_open("UTF-8", charset), converter != iconv_t(bitPattern: -1) else { return nil }
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
                // E2BIG: the output buffer is full, and there is more input.
                guard result == -1, problem != E2BIG else { continue }
                text += "\u{FFFD}".utf8
                let unit = min(charset.hasPrefix("utf-16") ? 2 : 1, left)
                next = next?.advanced(by: unit)
                left -= unit
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
