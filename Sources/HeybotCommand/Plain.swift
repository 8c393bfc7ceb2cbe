import HeybotSupport

/// Text from elsewhere as a value in a line of a log or a listing.
enum Plain {
    /// As it is if it is one plain word, else as a JSON string.
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

    /// Whether a scalar would do harm in a line.
    private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
        switch SafeText.kind(of: scalar) {
        case .visible, .hidden: false
        case .lineBreak, .control, .direction: true
        }
    }
}
