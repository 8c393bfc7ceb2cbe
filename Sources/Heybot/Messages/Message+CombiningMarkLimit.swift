extension Message {
    /// The same message with at most 30 combining marks in a row, also in what it answers, as in Unicode's Stream-Safe Text Format
    /// (UAX #15, section 13).
    ///
    /// No language needs more. Without a limit, comparing a single character, as a regex does, sorts all of its marks each
    /// time; with 20,000 marks that takes seconds.
    var withBoundedMarks: Message {
        guard case .text(let text) = content else { return self }
        let bounded = Self.boundingMarks(text)
        let answered = reply?.text.flatMap { Self.boundingMarks($0) }
        if bounded == nil, answered == nil { return self }
        var message = self
        if let bounded { message.content = .text(bounded) }
        if let answered { message.reply?.text = answered }
        return message
    }

    private static let mostMarks = 30

    /// Returns the text without the marks beyond the limit; nil if no mark is.
    static func boundingMarks(_ text: String) -> String? {
        // A mark has at least two bytes.
        guard text.utf8.count > mostMarks * 2, nonASCIICount(text) > mostMarks * 2, hasTooManyMarks(text) else {
            return nil
        }
        var bounded = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            if marks <= mostMarks { bounded.append(scalar) }
        }
        return String(bounded)
    }

    /// The number of bytes that aren't ASCII.
    private static func nonASCIICount(_ text: String) -> Int {
        var text = text
        // The compiler makes vector instructions of the first part, which rules out most texts.
        return text.withUTF8 { bytes in bytes.reduce(0, |) < 0x80 ? 0 : bytes.count { $0 >= 0x80 } }
    }

    private static func hasTooManyMarks(_ text: String) -> Bool {
        // A longer run than the limit has a mark at an index that is a multiple of it. That rules out most texts quickly.
        var index = 0
        let mayHave = text.unicodeScalars.contains { scalar in
            index += 1
            return index % mostMarks == 0 && isMark(scalar)
        }
        guard mayHave else { return false }
        var marks = 0
        return text.unicodeScalars.contains { scalar in
            marks = isMark(scalar) ? marks + 1 : 0
            return marks > mostMarks
        }
    }

    /// Whether normalization reorders the scalar.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        // The first mark is U+0300.
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}
