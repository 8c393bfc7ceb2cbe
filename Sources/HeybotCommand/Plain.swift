/// Text from elsewhere, made fit for a line on a terminal.
enum Plain {
    /// Without line breaks, control characters and marks that turn the direction of what follows.
    static func text(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { plain.append(isOdd(scalar) ? " " : scalar) }
        return String(plain)
    }

    /// As it is where it is one plain word, else as a JSON string.
    static func word(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            !isOdd($0) && $0 != "\"" && $0 != "=" && !$0.properties.isWhitespace
        }
        return isPlain && !text.isEmpty ? text : string(text)
    }

    /// A JSON string, with everything odd escaped.
    static func string(_ text: String) -> String {
        var string = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": string += "\\\""
            case "\\": string += "\\\\"
            case "\n": string += "\\n"
            case "\t": string += "\\t"
            case "\r": string += "\\r"
            case _ where isOdd(scalar):
                let digits = String(scalar.value, radix: 16)
                string += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }

    private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
