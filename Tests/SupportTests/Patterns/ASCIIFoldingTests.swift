import Testing

@testable import Heybot

struct `Folding of texts` {
    @Test(arguments: [
        ("plain TEXT", "plain TEXT"), ("\u{212a}\u{17f}\u{37e}\u{1fef}", "Ks;`"), ("a\u{212a}\u{301}b", "aK\u{301}b"),
        ("\u{e9}\u{212b}\u{17e}\u{37f}\u{1fee}", "\u{e9}\u{212b}\u{17e}\u{37f}\u{1fee}"), ("", "")
    ])
    func `step 1 changes four characters and nothing else`(text: String, expected: String) {
        #expect(ASCIIFolding.replaceLookalikes(text.utf8) == Array(expected.utf8))
    }

    @Test func `invalid UTF-8 stays unchanged`() {
        for text: [UInt8] in [[0xe2, 0x84], [0xc5], [0xff, 0xaa], [0xbf], [0xe1, 0xbf], [0x84, 0xaa]] {
            #expect(ASCIIFolding.replaceLookalikes(text) == text)
        }
    }

    @Test func `step 2 changes only ASCII letters`() {
        #expect(ASCIIFolding.lowercaseASCII(Array("A-Z[@`\u{c9}".utf8)) == Array("a-z[@`\u{c9}".utf8))
    }

    @Test func `Swift matches no other character as an ASCII one`() throws {
        let signs = (32..<127).map { "\\x{\(String($0, radix: 16))}" }.joined(separator: "|")
        let regex = try Regex(signs).ignoresCase()
        // All planes with characters, in steps through ranges of thousands of similar ones.
        for value in Array(UInt32(0x80)..<0x3400) + Array(0xa000..<0xac00) + Array(0xf900..<0x10000) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            guard ASCIIFolding.replaceLookalikes(text.utf8) == Array(text.utf8) else { continue }
            #expect(try regex.firstMatch(in: text) == nil, "U+\(String(value, radix: 16))")
        }
    }
}
