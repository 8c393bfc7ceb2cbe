/// A cursor in a line of the exposition format.
struct ExpositionCursor {
    enum Place { case help, label }

    private let whole: String
    private var bytes: Substring.UTF8View.SubSequence

    init(_ line: Substring.UTF8View.SubSequence) {
        bytes = line
        whole = String(decoding: line, as: UTF8.self)
    }

    func wrong(_ reason: String) -> ParsedExposition.Wrong { ParsedExposition.Wrong(reason: reason, line: whole) }

    mutating func skip(_ text: String) -> Bool {
        guard bytes.starts(with: text.utf8) else { return false }
        bytes = bytes.dropFirst(text.utf8.count)
        return true
    }

    mutating func rest() -> String {
        defer { bytes = bytes.suffix(0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func name(colons: Bool) throws(ParsedExposition.Wrong) -> String {
        let name = String(
            decoding: bytes.prefix { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: colons && byte == UInt8(ascii: ":")
                }
            }, as: UTF8.self)
        guard let first = name.first, !first.isNumber else { throw wrong("no name") }
        _ = skip(name)
        return name
    }

    /// Reads up to the end of the line, or past a label's closing quote.
    mutating func escaped(in place: Place) throws(ParsedExposition.Wrong) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch (byte, place) {
            case (UInt8(ascii: "\""), .label): return value
            case (UInt8(ascii: "\\"), _):
                switch (bytes.popFirst(), place) {
                case (UInt8(ascii: "\\"), _): value.append(UInt8(ascii: "\\"))
                case (UInt8(ascii: "n"), _): value.append(UInt8(ascii: "\n"))
                case (UInt8(ascii: "\""), .label): value.append(UInt8(ascii: "\""))
                default: throw wrong("no escape")
                }
            default: value.append(byte)
            }
        }
        guard place == .help else { throw wrong("no quote at the end") }
        return value
    }

    mutating func line() throws(ParsedExposition.Wrong) -> ParsedExposition.Line {
        let name = try name(colons: true)
        var labels: [ParsedExposition.Label] = []
        if skip("{") {
            repeat {
                let label = try self.name(colons: false)
                guard !label.hasPrefix("__") else { throw wrong("a label of Prometheus' own") }
                guard !labels.contains(where: { $0.name == label }) else { throw wrong("a label twice") }
                guard skip("=\"") else { throw wrong("no quote") }
                labels.append(ParsedExposition.Label(name: label, value: try escaped(in: .label)))
            } while skip(",")
            guard skip("}") else { throw wrong("no brace") }
        }
        guard skip(" ") else { throw wrong("no space") }
        let value = rest()
        guard isNumber(value) else { throw wrong("no number") }
        return ParsedExposition.Line(name: name, labels: labels, value: value)
    }

    private func isNumber(_ text: String) -> Bool {
        if ["+Inf", "-Inf", "NaN"].contains(text) { return true }
        return text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/) != nil && !text.hasSuffix(".0")
    }
}
