extension IRCMessage: CustomStringConvertible {
    /// The message in wire format, with CR LF.
    ///
    /// Whatever the parts contain, the result is one line, which is parsed as one message with the same number of parameters:
    /// - In the last parameter, CR, LF and NUL become spaces. It has a colon only if necessary.
    /// - In any other parameter, they become `_`, as do spaces and a leading colon; an empty parameter becomes `*`.
    /// - In tag values they are escaped, but NUL becomes a space.
    /// - The source and the tag keys lose invalid characters, and are omitted if nothing is left.
    /// - The command keeps its ASCII letters and digits; if there are none, the line is empty, and servers ignore it.
    ///
    /// Tags are sorted by key. A parsed message is equal when it is written and parsed again.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        write(to: &bytes)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
        return bytes
    }

    /// The message in wire format, without CR LF.
    package var description: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        // Without a command, the text after it would be parsed as one.
        guard command.utf8.contains(where: \.isLetterOrDigit) else { return }
        if let tagsIfAny { Tags.write(tagsIfAny, to: &bytes) }
        if let name = source?.utf8.filter({ !$0.endsLine && $0 != .space }), !name.isEmpty {
            bytes.append(.colon)
            bytes += name
            bytes.append(.space)
        }
        if command.utf8.allSatisfy(\.isLetterOrDigit) {
            Self.append(command, to: &bytes)
        } else {
            bytes += command.utf8.filter(\.isLetterOrDigit)
        }
        for parameter in parameters.dropLast() { Self.write(middle: parameter, to: &bytes) }
        if let last = parameters.last { Self.write(last: last, to: &bytes) }
    }

    /// Appends a text; a text's own view takes several times as long.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private static func write(middle parameter: String, to bytes: inout [UInt8]) {
        bytes.append(.space)
        let start = bytes.count
        append(parameter, to: &bytes)
        if bytes.count == start { return bytes.append(UInt8(ascii: "*")) }
        if bytes[start] == .colon { bytes[start] = UInt8(ascii: "_") }
        for index in start..<bytes.count where bytes[index].endsLine || bytes[index] == .space {
            bytes[index] = UInt8(ascii: "_")
        }
    }

    private static func write(last parameter: String, to bytes: inout [UInt8]) {
        bytes.append(.space)
        bytes.append(.colon)
        let start = bytes.count
        append(parameter, to: &bytes)
        var needsColon = start == bytes.count || bytes[start] == .colon
        for index in start..<bytes.count where bytes[index] <= .space {
            if bytes[index].endsLine { bytes[index] = .space }
            if bytes[index] == .space { needsColon = true }
        }
        if !needsColon { bytes.remove(at: start - 1) }
    }
}
