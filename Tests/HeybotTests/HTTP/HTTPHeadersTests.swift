import HeybotTesting
import TestServers
import Testing

@testable import Heybot

/// Header fields and methods.
struct HTTPHeadersTests {
    @Test func `names are case-insensitive`() {
        var headers: HTTPHeaders = ["Accept": "a", "ACCEPT": "b", "Other": "c"]
        #expect(headers["accept"] == "a, b")
        #expect(headers.values(of: "aCCEPT") == ["a", "b"])
        headers["accept"] = "d"
        #expect(headers.fields.map(\.name) == ["Other", "accept"])
        headers["OTHER"] = nil
        #expect(headers == ["ACCEPT": "d"])
        #expect(headers["other"] == nil && headers.values(of: "other").isEmpty)
    }

    @Test func `only ASCII letters are folded`() {
        // The Kelvin sign is a k in lower case, and no token.
        #expect(HTTPHeaders(dictionaryLiteral: ("\u{212A}ey", "1")).fields.isEmpty)
        let headers: HTTPHeaders = ["key[": "1", "key": "2", "a^b": "3", "a~b": "4"]
        #expect(headers["KEY"] == "2")
        #expect(headers["A^B"] == "3" && headers["a\u{1e}b"] == nil)
    }

    @Test func `an empty value is a value`() {
        let headers: HTTPHeaders = ["A": ""]
        #expect(headers["a"] == "")
        #expect(headers.fields.count == 1)
    }

    @Test(arguments: ["\r", "\n", "\r\n", "\0", "a\r\nX: y", "a\nb", "\u{7f}", "\u{1b}[0m", "\u{b}"])
    func `no value can inject a line`(_ value: String) {
        var headers: HTTPHeaders = ["A": "old"]
        let isAdded = headers.add(value, for: "B")
        #expect(!isAdded)
        headers["A"] = value
        #expect(headers.fields.isEmpty)
        #expect(HTTPHeaders(dictionaryLiteral: ("C", value)).fields.isEmpty)
    }

    @Test(arguments: ["", " ", "a b", "a:", "a\r\n", "a\0", "ä", "a\t", "(a)", "a,b", "a;b", "a\"b", "\u{212A}"])
    func `names are tokens`(_ name: String) {
        var headers: HTTPHeaders = [:]
        let isAdded = headers.add("value", for: name)
        #expect(!isAdded && headers.fields.isEmpty)
        #expect(HTTPMethod(rawValue: name) == nil)
    }

    @Test func `values may have blanks, tabs and any language`() {
        for value in ["a b", "a\tb", "ü", "日本", "\u{80}"] {
            var headers: HTTPHeaders = [:]
            let isAdded = headers.add(value, for: "A")
            #expect(isAdded && headers["A"] == value)
        }
    }

    @Test func `whatever is tried, all that gets in are fields`() {
        var random = SeededGenerator(seed: 1)
        let scalars = ["a", "B", "-", ":", " ", "\t", "\r", "\n", "\r\n", "\0", "\u{7f}", "é", "\u{1F600}", "\u{301}"]
        for _ in 0..<20_000 {
            let texts = (0..<2).map { _ in (0..<random.below(6)).map { _ in random.pick(scalars) }.joined() }
            var headers: HTTPHeaders = [:]
            let isAdded = headers.add(texts[1], for: texts[0])
            #expect(isAdded == (headers.fields.count == 1))
            for field in headers.fields {
                #expect(!field.name.isEmpty && field.name.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7f && $0 != 0x3a })
                #expect(!field.value.utf8.contains { [0, 10, 13].contains($0) })
            }
        }
    }

    @Test func `others take the place of those of the same names`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers.set(["A": "4", "C": "5", "a": "6"])
        #expect(headers == ["B": "2", "A": "4", "C": "5", "A": "6"])
    }

    @Test func `the same fields are equal, whatever their case`() {
        #expect(HTTPHeaders(dictionaryLiteral: ("A", "1")) == ["a": "1"])
        #expect(Set<HTTPHeaders>([["A": "1"], ["a": "1"]]).count == 1)
        #expect(HTTPHeaders(dictionaryLiteral: ("A", "x")) != ["a": "X"])
        #expect(HTTPHeaders(dictionaryLiteral: ("A", "1"), ("B", "2")) != ["B": "2", "A": "1"])
    }

    @Test func `methods are case-sensitive`() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "M-SEARCH")?.description == "M-SEARCH")
    }
}
