import HeybotSupport
import Testing

@Suite struct JSONWriterTests {
    @Test func `objects, one inside of another, without members that have no value`() {
        var writer = JSONWriter()
        writer.line { line in
            line.member("none", nil as String?)
            line.member("text", "tea")
            line.member("number", -7)
            line.member("object") { object in
                object.member("flag", true)
                object.member("empty") { _ in }
            }
            line.member("texts", ["a", "b"])
            line.member("nothing", [] as [String])
            line.member("time", 5.0)
            line.member("fraction", -0.25)
            line.member("numbers", [1, 2])
        }
        writer.line { $0.member("flag", false) }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == """
                {"text":"tea","number":-7,"object":{"flag":true,"empty":{}},"texts":["a","b"],"nothing":[],"time":5,\
                "fraction":-0.25,"numbers":[1,2]}
                {"flag":false}

                """)
    }

    @Test func `a string is one line, in which only the required characters are escaped`() {
        var writer = JSONWriter()
        writer.append(string: "a\"\\/\n\u{0}\u{1f}\u{7f}é😀\u{2028}")
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "\"a\\\"\\\\/\\u000a\\u0000\\u001f\u{7f}é😀\u{2028}\"")
    }
}
