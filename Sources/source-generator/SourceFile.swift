import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the program because of a problem with a file.
func fail(_ path: String, _ problem: String) -> Never {
    // The format of compilers, so that editors and Xcode find the file.
    print("\(path):1:1: error: \(problem)")
    exit(1)
}

/// A file from which another one is made.
struct SourceFile {
    let path: String
    let source: String

    init(_ path: String) {
        guard let source = try? String(contentsOfFile: path, encoding: .utf8) else {
            fail(path, "the file can't be read as UTF-8 text")
        }
        (self.path, self.source) = (path, source)
    }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// The type that is named like the file.
    func scriptType() -> String {
        let type = String(name.dropLast(".swift".count))
        guard type.wholeMatch(of: /[\p{L}_][\p{L}\p{N}_]*/) != nil else {
            fail(
                path,
                "\"\(type)\" isn't a valid type name; name the file after its script, such as PlusPlus.swift")
        }
        let declarations = source.matches(of: /\b(?:struct|class|enum|actor|typealias)\s+`?([\p{L}_][\p{L}\p{N}_]*)/)
        guard declarations.contains(where: { $0.1 == type }) else {
            fail(
                path,
                "no type \(type) is declared here; name the file after its script, or, if there is no script in it, move it to a subdirectory"
            )
        }
        return type
    }

    /// The regex literals that are the first arguments of calls of `hear` and `respond`, with the places of the calls'
    /// parentheses, as `#line` and `#column` give them.
    ///
    /// What looks like such a call in a comment or a string gets an entry too, which is never looked up. A literal whose end
    /// isn't certain gets none.
    func patternTexts() -> [(line: Int, column: Int, text: String)] {
        let bytes = Array(source.utf8)
        var texts: [(line: Int, column: Int, text: String)] = []
        var (line, lineStart) = (1, 0)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, index + 1) }
            guard byte == UInt8(ascii: "("), Self.isRegistration(bytes[..<index]),
                let text = Self.literal(in: bytes[(index + 1)...])
            else { continue }
            texts.append((line, index - lineStart + 1, text))
        }
        return texts
    }

    private static func isRegistration(_ text: ArraySlice<UInt8>) -> Bool {
        text.suffix(5).elementsEqual(".hear".utf8) || text.suffix(8).elementsEqual(".respond".utf8)
    }

    /// The text of the regex literal at the beginning of the arguments.
    private static func literal(in arguments: ArraySlice<UInt8>) -> String? {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
        var rest = arguments.drop(while: isSpace)
        let delimiter = rest.first == UInt8(ascii: "#") ? Array("/#".utf8) : Array("/".utf8)
        guard rest.starts(with: delimiter.reversed()) else { return nil }
        rest = rest.dropFirst(delimiter.count)
        var text: [UInt8] = []
        while !rest.starts(with: delimiter) {
            guard let byte = rest.popFirst(), byte >= 0x20 else { return nil }
            text.append(byte)
            // What follows a backslash doesn't end the literal.
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { text.append(escaped) }
        }
        guard let next = rest.dropFirst(delimiter.count).first(where: { !isSpace($0) }), ",)".utf8.contains(next)
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
