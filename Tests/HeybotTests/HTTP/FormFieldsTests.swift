import Heybot
import HeybotTesting
import TestServers
import Testing

/// Fields as a query or a form has them.
struct FormFieldsTests {
    @Test func `they are written as forms are`() {
        let fields: FormFields = ["q": "a b&c=d", "ü": "100%", "q": "", "": "x", "~": "-._~*'()"]
        #expect(fields.encoded == "q=a%20b%26c%3Dd&%C3%BC=100%25&q=&=x&~=-._~%2A%27%28%29")
    }

    @Test(arguments: [
        ("", []), ("a", ["a="]), ("a=", ["a="]), ("=", ["="]), ("=b", ["=b"]), ("a=b=c", ["a=b=c"]),
        ("&&a=1&&b=2&", ["a=1", "b=2"]), ("a+b=c+d", ["a b=c d"]), ("a%2Bb=%2b", ["a+b=+"]), ("%", ["%="]),
        ("a=%4", ["a=%4"]), ("a=%zz%41", ["a=%zzA"]), ("a=%%41", ["a=%A"]), ("a=%C3%BC", ["a=ü"]),
        ("a=%ff", ["a=\u{FFFD}"]), ("a=%00", ["a=\0"]), ("ü=é", ["ü=é"]),
        ("a=%ED%A0%80", ["a=\u{FFFD}\u{FFFD}\u{FFFD}"])
    ])
    func `they are read as browsers write them, and worse`(_ text: String, _ expected: [String]) {
        #expect(FormFields(encoded: text).fields.map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test func `encoded values are decoded to the same values`() {
        var random = SeededGenerator(seed: 2)
        let pieces = [
            "a", "&", "=", "+", " ", "%", "%41", "#", "?", "/", ";", "\0", "\r\n", "ü", "\u{1F600}", "\u{301}", "~"
        ]
        func text() -> String { (0..<random.below(8)).map { _ in random.pick(pieces) }.joined() }
        for _ in 0..<5_000 {
            var fields: FormFields = [:]
            for _ in 0..<random.below(5) { fields.add(text(), for: text()) }
            let encoded = fields.encoded
            #expect(FormFields(encoded: encoded) == fields)
            #expect(encoded.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        }
    }

    @Test func `whatever is read can be written and read again`() {
        var random = SeededGenerator(seed: 3)
        let pieces = ["a", "&", "=", "+", "%", "%4", "%C3", "%BC", "%ff", "%00", "ü"]
        for _ in 0..<5_000 {
            let text = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
            let fields = FormFields(encoded: text)
            #expect(FormFields(encoded: fields.encoded) == fields)
        }
    }

    @Test func `a name may be there several times`() {
        var fields: FormFields = ["a": "1", "b": "2", "a": "3"]
        #expect(fields["a"] == "1")
        #expect(fields.values(of: "a") == ["1", "3"])
        #expect(fields["A"] == nil)
        fields["a"] = "4"
        #expect(fields.encoded == "b=2&a=4")
        fields["b"] = nil
        fields["a"] = nil
        #expect(fields.isEmpty && fields.encoded == "")
    }

    @Test func `a part of a URL is percent-encoded`() {
        #expect(percentEncoded("a/b?c#d&e=f+g h") == "a%2Fb%3Fc%23d%26e%3Df%2Bg%20h")
        #expect(percentEncoded("../\r\n\0") == "..%2F%0D%0A%00")
    }
}
