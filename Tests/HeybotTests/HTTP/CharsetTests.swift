import Testing

@testable import Heybot

/// Bytes as text.
struct CharsetTests {
    private func text(_ bytes: [UInt8], _ charset: String?) -> String {
        let headers: HTTPHeaders = charset.map { ["Content-Type": "text/plain; charset=\($0)"] } ?? [:]
        return HTTPResponse(url: "http://h/", status: 200, headers: headers, body: bytes).text
    }

    @Test(arguments: [
        (nil, "utf-8"), ("", "utf-8"), ("text/plain", "utf-8"), ("text/plain; charset=UTF-16", "utf-16"),
        ("text/plain;charset=\"Shift_JIS\"; x=y", "shift_jis"),
        ("text/plain; x=charset; CHARSET = 'koi8-r' ", "koi8-r"),
        ("text/plain; charset=", "utf-8"), ("text/plain; charset", "utf-8"), ("charset=utf-16", "utf-8"),
        ("a; charset=a; charset=b", "a"), (";;;charset=a;", "utf-8")
    ])
    func `a type names it`(_ type: String?, _ name: String) {
        #expect(Charset(contentType: type).name == name)
    }

    @Test func `UTF-8 is decoded with and without a byte order mark, and repaired`() {
        #expect(text([0xC3, 0xBC], nil) == "ü")
        #expect(text([0xEF, 0xBB, 0xBF, 0x61], nil) == "a")
        #expect(text([0xEF, 0xBB, 0xBF, 0x61], "utf8") == "a")
        #expect(text([0x61, 0xFF, 0x62], "utf-8") == "a\u{FFFD}b")
        #expect(text([], "utf-8") == "")
    }

    @Test func `Latin 1 is read as Windows 1252`() {
        for name in ["iso-8859-1", "ISO-8859-1", "latin1", "windows-1252"] {
            #expect(text([0xFC, 0x80, 0x93], name) == "ü€\u{201C}")
        }
        // An unknown charset.
        #expect(text([0x61, 0x81, 0x62], "iso-8859-1") == "a\u{FFFD}b")
    }

    @Test func `UTF-16 is read in either order`() {
        #expect(text([0x61, 0, 0x3D, 0xD8, 0, 0xDE], "utf-16le") == "a😀")
        #expect(text([0, 0x61, 0xD8, 0x3D, 0xDE, 0], "utf-16be") == "a😀")
        #expect(text([0x61, 0], "utf-16") == "a")
        #expect(text([0xFE, 0xFF, 0, 0x61], "utf-16") == "a")
        #expect(text([0xFF, 0xFE, 0x61, 0], "utf-16be") == "a")
        #expect(text([0xFE, 0xFF, 0, 0x61], "utf-8") == "a")
    }

    @Test func `half a pair in UTF-16 costs itself alone`() {
        #expect(text([0x3D, 0xD8, 0x61, 0, 0x62, 0], "utf-16le") == "\u{FFFD}ab")
        #expect(text([0x61, 0, 0x62], "utf-16le") == "a\u{FFFD}")
        #expect(text([0x62], "utf-16be") == "\u{FFFD}")
    }

    @Test func `other charsets of the web are read`() {
        // Not as a yen, as the standard behind the name has it.
        #expect(text([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x5C, 0x7E], "shift_jis") == "テスト\\~")
        #expect(text([0xA5, 0xC6], "euc-jp") == "テ")
        #expect(text([0xD0, 0xD2], "koi8-r") == "пр")
        #expect(text([0xEF, 0xF0], "windows-1251") == "пр")
        #expect(text([0xA4], "iso-8859-15") == "€")
        #expect(text([0xC4, 0xE3], "gb2312") == "你")
        #expect(text([0xA7, 0x41], "big5") == "你")
        #expect(text([0xB0, 0xA1], "euc-kr") == "가")
    }

    @Test func `invalid bytes are replaced in place`() {
        #expect(text([0x61, 0x83, 0xFF, 0x62], "shift_jis").hasPrefix("a\u{FFFD}"))
        #expect(text([0x61, 0x83], "shift_jis") == "a\u{FFFD}")
        #expect(text([UInt8](repeating: 0xFF, count: 10_000), "euc-jp") == String(repeating: "\u{FFFD}", count: 10_000))
        #expect(text([UInt8](repeating: 0xFC, count: 10_000), "latin1") == String(repeating: "ü", count: 10_000))
    }

    @Test(arguments: [
        "nonsense", "utf-8//TRANSLIT", "latin1//TRANSLIT", "//IGNORE", "wchar_t", "../../x", "\"\"", "utf-7", "char",
        "iso-8859-1\0", "ucs-4-internal", "iso-2022-cn-ext"
    ])
    func `others are taken for UTF-8`(_ name: String) {
        #expect(text([0xC3, 0xBC], name) == "ü")
    }
}
