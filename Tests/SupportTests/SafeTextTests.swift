import HeybotSupport
import Testing

@Suite struct SafeTextTests {
    private static let controls = Array(0..<0x20) + Array(0x7f..<0xa0)
    private static let directions = Array(0x202a...0x202e) + Array(0x2066...0x2069)

    private func scalar(_ value: Int) throws -> Unicode.Scalar { try #require(Unicode.Scalar(UInt32(value))) }

    @Test func `control characters and direction changes are removed in every form`() throws {
        for value in Self.controls + Self.directions + [0x2028, 0x2029] {
            let scalar = try scalar(value)
            #expect(SafeText.kind(of: scalar) != .visible && SafeText.kind(of: scalar) != .hidden)
            for safe in [
                SafeText.line("a\(scalar)b"), SafeText.pictured("a\(scalar)b"),
                SafeText.visible("a\(scalar)b", limit: 9)
            ] {
                #expect(!safe.unicodeScalars.contains(scalar), "U+\(String(value, radix: 16))")
                #expect(safe.first == "a" && safe.last == "b" && safe.unicodeScalars.count <= 3)
            }
        }
    }

    @Test func `visible text stays unchanged`() {
        for text in ["plain", "é日本語", "👩‍🚀 ❤️", "می‌خواهم", "עברית", "<b>&\"'"] {
            #expect(SafeText.line(text) == text && SafeText.pictured(text) == text)
            #expect(SafeText.visible(text, limit: 100) == text)
        }
    }

    @Test func `invisible scalars are removed if only visible ones are wanted`() {
        let hidden =
            "\u{ad}\u{200b}\u{200e}\u{200f}\u{61c}\u{2060}\u{feff}\u{fff9}\u{e0041}\u{fffe}\u{e000}\u{f8ff}\u{100000}\u{378}"
        #expect(SafeText.visible("a\(hidden)b", limit: 100) == "ab")
        #expect(hidden.unicodeScalars.allSatisfy { SafeText.kind(of: $0) == .hidden })
        // In a terminal and on a page they are harmless.
        #expect(SafeText.pictured("a\(hidden)b") == "a\(hidden)b")
    }

    @Test func `a control character is replaced by its picture`() throws {
        #expect(SafeText.pictured("a\u{0}\u{1b}\u{7f}\u{9b}\tb\r\nc\u{202e}") == "a␀␛␡\u{fffd} b  c\u{fffd}")
        #expect(SafeText.picture(of: "\n") == "␊" && SafeText.picture(of: "x") == nil)
    }

    @Test func `the length is limited, in every form`() {
        #expect(SafeText.visible(String(repeating: "x", count: 9_000), limit: 300).count == 300)
        let accents = "e" + String(repeating: "\u{301}", count: 9_000)
        #expect(SafeText.visible(accents, limit: 300).unicodeScalars.count == 300)
        let controls = String(repeating: "\u{0}", count: 9_000) + "x"
        #expect(SafeText.visible(controls, limit: 300) == "")
    }

    @Test(
        arguments: [
            ("a.txt", "a.txt"), ("../a\\b", ".._a_b"), ("..", nil), ("", nil), ("a\u{0}\u{202e}b\n", "ab "),
            (String(repeating: "é", count: 150), String(repeating: "é", count: 100))
        ] as [(String, String?)])
    func `a file name has no folders, and at most 200 bytes`(_ text: String, _ name: String?) {
        #expect(SafeText.fileName(text) == name)
    }

    @Test func `a media type loses its parameters, and an invalid one isn't used`() {
        let long = String(repeating: "x", count: 200)
        #expect(SafeText.mediaType("text/plain; charset=utf-8") == "text/plain")
        #expect(SafeText.mediaType("image/svg+xml") == "image/svg+xml")
        for invalid in ["", "text", "text/", "/plain", "a/b/c", "text/pla\u{301}in", "a/b\r\nX: 1", "text/\(long)"] {
            #expect(SafeText.mediaType(invalid) == nil, "\(invalid)")
        }
    }

    @Test func `HTML is escaped`() {
        #expect(SafeText.html("<a href=\"x\">&'</a>") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;")
        #expect(SafeText.html("<\u{338}b").utf8.starts(with: "&lt;".utf8))
    }
}
