import Heybot
import Testing

@testable import HeybotCommand

/// Tests of parsing the JSON of a Hubot brain.
@Suite struct HubotBrainReaderTests {
    private static let brain = #"""
        {"users":{"1":{"id":"1","name":"Shell","room":"Shell"}},
        "_private":{"scores":{"swift":2, "obj\u002dc" : -1},"motto":"Be kind"},"karma":{"ada":[1,{"b":null}]},"n":1.5e3}
        """#

    private static let brainEntries = [
        HubotEntry("users", "1", #"{"id":"1","name":"Shell","room":"Shell"}"#), HubotEntry("scores", "swift", "2"),
        HubotEntry("scores", "obj-c", "-1"), HubotEntry("motto", #""Be kind""#),
        HubotEntry("data.karma", "ada", #"[1,{"b":null}]"#), HubotEntry("data.n", "1.5e3")
    ]

    @Test func `a brain becomes its entries`() {
        let (entries, error) = readHubotBrain(Self.brain)
        #expect(entries == Self.brainEntries)
        #expect(error == nil)
    }

    @Test func `any division into chunks gives the same entries`() {
        let text = Array(Self.brain.utf8)
        for cut in 0...text.count {
            #expect(readHubotBrain([Array(text[..<cut]), [], Array(text[cut...])]).entries == Self.brainEntries)
        }
        let bytes = readHubotBrain(text.map { [$0] })
        #expect(bytes.entries == Self.brainEntries)
        #expect(bytes.error == nil)
    }

    @Test func `an entry is returned as soon as it is complete`() throws {
        var reader = HubotBrainReader()
        #expect(try reader.read(Array(#"{"_private":{"a":{"b":1"#.utf8)).isEmpty)
        #expect(try reader.read(Array("2,".utf8)).map(\.value) == [Array("12".utf8)])
        #expect(try reader.read(Array(#""c":"d""#.utf8)).map(\.key) == [StoreKey(collection: "a", name: "c")])
    }

    @Test(
        arguments: [
            ("{}", []), (#" { "users" : { } , "_private" : {} } "#, []),
            // As Hubot 2.3 wrote it.
            (
                #"{"users":{"1":{}},"karma":{"a":1}}"#,
                [HubotEntry("users", "1", "{}"), HubotEntry("data.karma", "a", "1")]
            ),
            (#"{"_private":{"a":1},"users":{"1":2}}"#, [HubotEntry("a", "1"), HubotEntry("users", "1", "2")]),
            (
                #"{"_private":{"a":true,"b":null,"c":[],"d":[{"x":1}],"e":{},"f":false,"g":-0.0}}"#,
                [
                    HubotEntry("a", "true"), HubotEntry("b", "null"), HubotEntry("c", "[]"),
                    HubotEntry("d", #"[{"x":1}]"#),
                    HubotEntry("e", "{}"), HubotEntry("f", "false"), HubotEntry("g", "-0.0")
                ]
            ),
            (#"{"a":[],"b":{}}"#, [HubotEntry("data.a", "[]"), HubotEntry("data.b", "{}")]),
            (
                #"{"_private":{"a":{"b":{"c":{"d":1}},"e":{}}}}"#,
                [
                    HubotEntry("a", "b", #"{"c":{"d":1}}"#), HubotEntry("a", "e", "{}")
                ]
            ),
            (
                #"{"_private":{"users":{"x":1},"data.k":2,"_private.k":3}}"#,
                [
                    HubotEntry("_private.users", "x", "1"), HubotEntry("_private.data.k", "2"),
                    HubotEntry("_private._private.k", "3")
                ]
            ),
            (#"{"data.k":1,"":2}"#, [HubotEntry("data.data.k", "1"), HubotEntry("data.", "2")]),
            (#"{"_private":{"a":1,"a":2}}"#, [HubotEntry("a", "1"), HubotEntry("a", "2")]),
            (#"{"us\u0065rs":{"1":1},"\u005fprivate":{"a":1}}"#, [HubotEntry("users", "1", "1"), HubotEntry("a", "1")]),
            // The bytes are unchanged.
            (
                "{\"_private\":{\"a\":\t[ 1,\n\r\n2 ]\n,\"b\":{ \n}\n,\"c\":{\"d\" :\n\"\\u00e9é\" }}}",
                [
                    HubotEntry("a", "[ 1,\n\r\n2 ]"), HubotEntry("b", "{ \n}"), HubotEntry("c", "d", "\"\\u00e9é\"")
                ]
            )
        ] as [(String, [HubotEntry])])
    func `members become entries`(_ text: String, _ expected: [HubotEntry]) {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            let (entries, error) = readHubotBrain(pieces)
            #expect(entries == expected)
            #expect(error == nil)
        }
    }

    @Test(arguments: [
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"\u00E9\u00e9é"#, "\u{e9}\u{e9}é"),
        (#"\ud83d\udc4d!"#, "👍!"), (#"\uD83D"#, "\u{fffd}"), (#"\udc4d\ud83d"#, "\u{fffd}\u{fffd}"),
        (#"\ud83d\ud83d\udc4d"#, "\u{fffd}👍"), (#"\ud83dx\udc4d"#, "\u{fffd}x\u{fffd}"), (#"\u0000"#, "\0"),
        (#"\\u0041"#, #"\u0041"#), ("日本", "日本"), ("\u{7f}\u{2028}", "\u{7f}\u{2028}")
    ])
    func `names are unescaped`(_ escaped: String, _ name: String) {
        #expect(readHubotBrain("{\"_private\":{\"\(escaped)\":1}}").entries == [HubotEntry(name, "1")])
    }

    // MARK: Errors

    @Test(arguments: [
        ("", #"at byte 0: the text ends too soon; expected a value"#),
        ("[]", "at byte 0: expected an object, in { and }"),
        (" 12", "at byte 1: expected an object, in { and }"), ("x", "at byte 0: expected a value"),
        ("{", "at byte 1: the text ends too soon; expected a name in double quotes, or }"),
        ("{} x", "at byte 3: expected the end of the text"), ("{}{}", "at byte 2: expected the end of the text"),
        ("{,}", "at byte 1: expected a name in double quotes, or }"),
        (#"{"a":1,}"#, "at byte 7: expected a name in double quotes"),
        (#"{"a" 1}"#, "at byte 5, in a: expected a colon"),
        (#"{"users":[]}"#, "at byte 9, in users: expected an object, in { and }"),
        (#"{"_private":null}"#, "at byte 12, in _private: expected an object, in { and }"),
        (#"{"_private":{"scores":{"a":1 "b":2}}}"#, "at byte 29, in _private.scores: expected a comma or }"),
        (#"{"_private":{"scores":{"a":[1 2]}}}"#, "at byte 30, in _private.scores.a: expected a comma or ]"),
        (#"{"users":{"1":{"a":01}}}"#, "at byte 20, in users.1: expected a comma or }"),
        (#"{"users":{"1":{"a":tru}}}"#, "at byte 22, in users.1: expected true, false or null"),
        (#"{"a":[1}"#, "at byte 7, in a: expected a comma or ]"),
        (#"{"a":[}"#, "at byte 6, in a: expected a value or ]"),
        (#"{"a":{"b":1]"#, "at byte 11, in a: expected a comma or }"),
        (#"{"a":-}"#, "at byte 6, in a: expected a digit"),
        (#"{"a":1.}"#, "at byte 7, in a: expected a digit"), (#"{"a":1e+}"#, "at byte 8, in a: expected a digit"),
        (#"{"a":NaN}"#, "at byte 5, in a: expected a value"),
        (#"{"a":"b"#, "at byte 7, in a: the text ends too soon; expected a closing quote"),
        (#"{"a":"\x"}"#, #"at byte 7, in a: expected one of " \ / b f n r t u after a \"#),
        (#"{"a":"\u12g4"}"#, #"at byte 10, in a: expected four hexadecimal digits after \u"#),
        ("{\"a\":\"\n\"}", "at byte 6, in a: expected control characters in a text to be escaped"),
        (#"{"users":{"1":2},"_private":{"a":{"b":1},"c":x"#, "at byte 45, in _private.c: expected a value"),
        (#"{"a b":{"c.d":{"\n":x"#, #"at byte 20, in "a b".c.d: expected a value"#),
        (
            "{\"\(String(repeating: "n", count: 61))\":x}",
            "at byte 65, in \(String(repeating: "n", count: 60))…: expected a value"
        )
    ])
    func `errors have a position and a path`(_ text: String, _ description: String) {
        for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            #expect(readHubotBrain(pieces).error?.description == description)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
            [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xc3, 0x22], [0xe2, 0x82],
            [0xf0, 0x9f, 0x91, 0x41]
        ] as [[UInt8]])
    func `texts are UTF-8`(_ bytes: [UInt8]) {
        for text in [
            Array(#"{"a":""#.utf8) + bytes + Array("\"}".utf8), Array(#"{""#.utf8) + bytes + Array("\":1}".utf8)
        ] {
            #expect(readHubotBrain([text]).error?.problem == .expected("expected UTF-8"))
        }
    }

    @Test(arguments: [
        "\u{80}", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{fffff}", "\u{10ffff}"
    ])
    func `all characters are accepted`(_ character: String) {
        #expect(
            readHubotBrain("{\"\(character)\":\"\(character)\"}").entries == [
                HubotEntry("data.\(character)", "\"\(character)\"")
            ])
    }

    @Test func `an error after entries is thrown by the next call, and by all later ones`() throws {
        var reader = HubotBrainReader()
        #expect(try reader.read(Array(#"{"a":1,"b":2,x"#.utf8)).count == 2)
        let error = HubotBrainReaderError(offset: 13, path: [], problem: .expected("expected a name in double quotes"))
        #expect(throws: error) { try reader.read([]) }
        #expect(throws: error) { try reader.finish() }
        #expect(throws: error) { try reader.read(Array("\"c\":1}".utf8)) }
    }

    // MARK: Limits

    @Test func `the longest value is accepted, and a longer one is an error`() {
        let longest =
            [UInt8(ascii: "\"")] + [UInt8](repeating: 97, count: BrainLimits.valueBytes - 2) + [UInt8(ascii: "\"")]
        let (before, after) = (Array(#"{"users":{},"_private":{"big":{"one":"#.utf8), Array("}}}".utf8))
        let (entries, error) = readHubotBrain([before, Array(longest[..<99]), Array(longest[99...]) + after])
        #expect(entries.map(\.value.count) == [BrainLimits.valueBytes])
        #expect(error == nil)
        let long = longest.dropLast() + Array("b\"".utf8)
        for pieces in [[before + long + after], [before, Array(long[..<99]), Array(long[99...])]] {
            let error = readHubotBrain(pieces).error
            #expect(error?.path == ["_private", "big", "one"])
            #expect(error?.problem == .valueTooLong)
            #expect(
                error?.description.hasSuffix(
                    ", in _private.big.one: the value exceeds the limit of 16777216 bytes") == true)
        }
    }

    @Test func `a name has the same limit`() {
        let name = [UInt8](repeating: 97, count: BrainLimits.valueBytes)
        let before = Array(#"{"users":{""#.utf8)
        #expect(readHubotBrain([before + name, Array("\":1}}".utf8)]).entries.map(\.name.count) == [name.count])
        for pieces in [[before, name, [97]], [before + name + Array("a\":1}}".utf8)]] {
            let error = readHubotBrain(pieces).error
            #expect(error?.path == ["users"])
            #expect(error?.problem == .nameTooLong)
        }
    }

    @Test func `objects with many entries may be longer than a value`() throws {
        var reader = HubotBrainReader()
        var count = 0
        let entry = "\"\(String(repeating: "k", count: 1000))\":\"\(String(repeating: "v", count: 100_000))\","
        for piece in [#"{"_private":{"big":{"#] + [String](repeating: entry, count: 200) + [#""last":1}}}"#] {
            count += try reader.read(Array(piece.utf8)).count
        }
        try reader.finish()
        #expect(count == 201)
    }

    @Test(arguments: [#"{"a":"#, #"{"users":{"1":"#, #"{"_private":{"a":"#, #"{"_private":{"a":{"b":"#])
    func `a value may be 512 objects and arrays deep`(_ before: String) {
        let closing = String(before.reversed().compactMap { $0 == "{" ? "}" : nil })
        func text(_ depth: Int) -> String {
            before + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + closing
        }
        #expect(readHubotBrain(text(512)).error == nil)
        let error = readHubotBrain(text(513)).error
        #expect(error?.problem == .expected("expected at most 512 levels of nested objects and arrays"))
        #expect(error?.offset == before.utf8.count + 512)
    }
}
