import Foundation
import HeybotSupport
import Testing

@Suite struct JSONValueTests {
    private func decoded(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    private func encoded(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("{", nil), ("[1,]", nil), (#"{"a" 1}"#, nil), (#"{"a": 1} x"#, nil), (#""a"#, nil), (#""\x""#, nil),
            ("tru", nil), ("-", nil), ("", nil), (#"{1: 2}"#, nil), (#""\u12""#, nil),
            (" [ ] ", .array([])), (#"{ "a" : {"b": null} }"#, .object(["a": .object(["b": .null])])),
            ("[1, -2.5e1, true, false]", .array([.integer(1), .integer(-25), .bool(true), .bool(false)])),
            (#""é\n\t\"\\\/\u00e9\ud83d\ude00""#, .string("é\n\t\"\\/é😀")),
            (#""\ud83dx\udc00""#, .string("\u{FFFD}x\u{FFFD}"))
        ] as [(String, JSONValue?)])
    func `JSON is parsed as RFC 8259 says`(_ text: String, _ value: JSONValue?) {
        #expect(JSONValue(text) == value)
    }

    @Test func `a string may contain line breaks, as shell scripts send them`() {
        #expect(JSONValue("\"a\nb\"") == .string("a\nb"))
    }

    @Test func `deeply nested JSON is refused`() {
        let brackets = String(repeating: "[", count: 100_000)
        #expect(JSONValue(brackets) == nil)
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(JSONValue(nested(50)) != nil)
        #expect(JSONValue(nested(51)) == nil)
        let inString = "[\"\(brackets)\\\"\(brackets)\"]"
        #expect(JSONValue(inString)?.elements.count == 1)
    }

    @Test func `long arrays are parsed, and long numbers are refused`() {
        let ones = "[" + String(repeating: "1,", count: 100_000) + "1]"
        #expect(JSONValue(ones)?.elements.count == 100_001)
        #expect(JSONValue(String(repeating: "1", count: 100)) == .number(1.111_111_111_111_111_1e99))
        #expect(JSONValue(String(repeating: "1", count: 101)) == nil)
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("42", .integer(42)), ("-7", .integer(-7)),
            ("1.0", .integer(1)), ("1e3", .integer(1_000)), ("2.5", .number(2.5)), ("-0.125", .number(-0.125)),
            // A Double can't hold it.
            ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            // An Int can't hold them.
            ("9223372036854775808", .number(9.223372036854775808e18)), ("1e300", .number(1e300))
        ] as [(String, JSONValue)])
    func `a whole number is exact, whichever way it is read`(_ text: String, _ value: JSONValue) throws {
        #expect(JSONValue(text) == value)
        #expect(try decoded(text) == value)
    }

    @Test(arguments: [
        "[]", "{}", #"{"a":[null,true,{"b":"é"}],"c":-1.5}"#, "[0,1,-1,9007199254740991,9223372036854775807]",
        "[0.1,-2.5,1e+21,1e+300]"
    ])
    func `values are written as they were read`(_ text: String) throws {
        #expect(try encoded(decoded(text)) == text)
        let parsed = try #require(JSONValue(text))
        #expect(try encoded(parsed) == text)
    }

    @Test func `a whole number is written without a fraction`() throws {
        #expect(try encoded(decoded("[1.0,1e3]")) == "[1,1000]")
        #expect(try encoded(.array([.number(3), .integer(3)])) == "[3,3]")
    }

    @Test func `the values in an object are found, and others are null`() {
        let value: JSONValue = .object(["a": .object(["b": .array([.integer(1), .string("")])]), "n": .null])
        #expect(value["a"]["b"].elements == [.integer(1), .string("")])
        #expect(value["a"]["c"] == .null && value["n"]["x"] == .null && value["a"]["b"]["c"] == .null)
        #expect(value.members.keys.sorted() == ["a", "n"] && value["a"]["b"].members.isEmpty)
        #expect(value["a"]["b"].elements.map(\.integerValue) == [1, nil])
        #expect(value["a"]["b"].elements.map(\.stringValue) == [nil, ""])
        #expect(JSONValue.number(2.5).integerValue == nil && value.elements.isEmpty && value.stringValue == nil)
    }

    @Test func `the size grows with the texts, the names and the values`() {
        #expect(JSONValue.integer(1).approximateSize == 16)
        #expect(JSONValue.string("é").approximateSize == 18)
        #expect(JSONValue.object(["abc": .array([.null, .bool(true)])]).approximateSize == 16 + 3 + 48)
    }
}
