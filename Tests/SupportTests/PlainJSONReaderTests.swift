import HeybotSupport
import HeybotTesting
import Testing

@Suite struct PlainJSONReaderTests {
    @Test func `a number is the same as with Double`() throws {
        var generator = SeededGenerator(seed: 1)
        var texts = [
            "0", "0.0", "0.1", "5", "-5", "1e-7", "1.5e+20", "9007199254740991", "9007199254740992", "9007199254740993",
            "900719925.4740993", "0.000000000000000000000000001", "0.0000000000000000000007",
            "0.00000000000000000000007", "123456789.12345678901234567890",
            "1234567890123456789012"
        ]
        for _ in 0..<5_000 {
            // Such as times, with as many digits as they have.
            texts.append("\(Double.random(in: 0..<1e10, using: &generator))")
            let digits =
                "\(UInt64.random(in: 0...UInt64.max, using: &generator) >> Int.random(in: 0..<60, using: &generator))"
            let point = digits.index(digits.startIndex, offsetBy: Int.random(in: 0..<digits.count, using: &generator))
            if point != digits.startIndex { texts.append("\(digits[..<point]).\(digits[point...])") }
        }
        for text in texts {
            var reader = PlainJSONReader(Array(text.utf8))
            let number = try reader.number()
            try reader.expectEnd()
            #expect(number.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test(arguments: ["", ".", "-", "1.2.3", "1e", "e5", "--1", "1e999", "true", "\"1\"", "+"])
    func `what isn't a number isn't read as one`(_ text: String) {
        #expect(throws: PlainJSONReader.Unusual.self) {
            var reader = PlainJSONReader(Array(text.utf8))
            _ = try reader.number()
            try reader.expectEnd()
        }
    }

    @Test func `a string is read up to its end, with and without escapes`() throws {
        let texts = [
            (#""""#, ""), (#""tea""#, "tea"), (#""a\"b\\c\/\n""#, "a\"b\\c/\n"), (#""\u00e9é\u0001""#, "éé\u{1}"),
            (#""\n""#, "\n"), (#""\\""#, "\\")
        ]
        for (json, text) in texts {
            var reader = PlainJSONReader(Array((json + ",1").utf8))
            #expect(try reader.string() == text)
            try reader.expect(",1")
            try reader.expectEnd()
        }
    }

    @Test(arguments: [
        #""a"#, #"a""#, #""\"#, #""\u00"#, #""\u0000""#, #""\ud800""#, #""\x""#, "\"\n\"", "\"\u{1F}\"", "\"\u{0}\"", ""
    ])
    func `what isn't a usual string isn't read`(_ json: String) {
        var reader = PlainJSONReader(Array(json.utf8))
        #expect(throws: PlainJSONReader.Unusual.self) { try reader.string() }
    }

    @Test func `invalid UTF-8 isn't read, even after an escape`() {
        for json: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0x5C, 0x6E, 0xC3, 0x22]] {
            var reader = PlainJSONReader(json)
            #expect(throws: PlainJSONReader.Unusual.self) { try reader.string() }
        }
    }
}
