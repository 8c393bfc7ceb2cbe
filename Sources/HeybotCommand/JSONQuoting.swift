import HeybotSupport

/// Quotes foreign text for a line of a log or a listing.
enum JSONQuoting {
    /// The text itself if it is one word without special characters, otherwise a JSON string.
    static func quotedIfNeeded(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            !needsEscape($0) && $0 != "\"" && $0 != "=" && !$0.properties.isWhitespace
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// The text as a JSON string, with control and direction characters escaped.
    static func quoted(_ text: String) -> String {
        var string = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": string += "\\\""
            case "\\": string += "\\\\"
            case "\n": string += "\\n"
            case "\t": string += "\\t"
            case "\r": string += "\\r"
            case _ where needsEscape(scalar):
                let digits = String(scalar.value, radix: 16)
                string += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }

    /// Whether a scalar could break or disguise a line.
    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch SafeText.kind(of: scalar) {
        case .visible, .hidden: false
        case .lineBreak, .control, .direction: true
        }
    }
}
