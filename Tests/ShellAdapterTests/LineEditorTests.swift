import Testing

@testable import ShellAdapter

/// Tests of the keys, as bytes from a terminal.
@Suite struct LineEditorTests {
    private static let history = ["first", "say two", "Third one", "a\nb"]

    /// Presses the keys, and returns the line with a bar at the cursor, and the last action.
    private func type(_ keys: [String], lines: [String] = Self.history) -> (line: String, last: LineEditor.Action) {
        var (decoder, editor) = (KeyDecoder(), LineEditor(history: History(size: 100, lines)))
        var last = LineEditor.Action.none
        for text in keys {
            for key in decoder.decode(Array(text.utf8)) + decoder.flush() { last = editor.press(key) }
        }
        var line = editor.line.characters.map(String.init)
        line.insert("|", at: editor.line.cursor)
        return (line.joined(), last)
    }

    @Test(arguments: [
        (["abc"], "abc|"), (["a", "b"], "ab|"), (["abc\u{1b}[D\u{1b}[DX"], "aX|bc"),
        (["abc\u{02}\u{02}\u{06}X"], "abX|c"),
        (["abc\u{01}X"], "X|abc"), (["abc\u{1b}[HX\u{1b}[FY"], "XabcY|"), (["abc\u{1b}OHX\u{1b}OFY"], "XabcY|"),
        (["abc\u{1b}[1~X\u{1b}[4~Y"], "XabcY|"), (["abc\u{01}X\u{05}Y"], "XabcY|"),
        (["abc\u{7f}"], "ab|"), (["abc\u{08}"], "ab|"), (["abc\u{01}\u{04}"], "|bc"), (["abc\u{01}\u{1b}[3~"], "|bc"),
        (["one two-three\u{1b}b"], "one two-|three"), (["one two-three\u{1b}b\u{1b}b"], "one |two-three"),
        (["one two\u{1b}[1;5D\u{1b}[1;5D"], "|one two"), (["one two\u{01}\u{1b}f"], "one| two"),
        (["one two\u{01}\u{1b}[1;5C\u{1b}[1;5C"], "one two|"), (["één twee\u{01}\u{1b}f"], "één| twee"),
        (["one two\u{01}\u{06}\u{0b}"], "o|"), (["one two\u{02}\u{15}"], "|o"), (["one two-three\u{17}"], "one |"),
        (["one two-three\u{1b}\u{7f}"], "one two-|"), (["one two\u{01}\u{1b}d"], "| two"),
        (["one two\u{17}\u{19}\u{19}"], "one twotwo|"), (["one two\u{01}\u{0b}x\u{19}"], "xone two|"),
        (["abc\u{14}"], "acb|"), (["abc\u{02}\u{14}"], "acb|"), (["abc\u{02}\u{02}\u{14}"], "ba|c")
    ])
    func `keys move, delete, kill and yank`(_ keys: [String], _ line: String) {
        #expect(type(keys).line == line)
    }

    @Test(arguments: [
        (["e\u{301}"], "é|", 1), (["e", "\u{301}"], "é|", 1), (["ex\u{02}\u{301}"], "é|x", 2), (["日本\u{7f}"], "日|", 1),
        (["a👩‍👩‍👧\u{7f}"], "a|", 1), (["👩‍👩‍👧b\u{01}\u{04}"], "|b", 1), (["🇩🇪🇫🇷\u{7f}"], "🇩🇪|", 1),
        (["👍🏽x\u{02}\u{02}y"], "y|👍🏽x", 3), (["👩\u{200d}", "👧"], "👩‍👧|", 1)
    ])
    func `the cursor moves by user-perceived characters`(_ keys: [String], _ line: String, _ count: Int) {
        let result = type(keys)
        #expect(result.line == line)
        #expect(result.line.count - 1 == count)
    }

    @Test func `deleting text between a letter and a combining mark joins them`() {
        var line = EditBuffer("e\n\u{301}")
        line.move(to: 2)
        line.remove(1..<2)
        #expect(line.characters == ["é"])
        #expect(line.cursor == 1)
    }

    @Test(
        arguments: [
            ([], []), ([0xc3], ["é"]), ([0xe6, 0x97], ["日"]), ([0xf0, 0x9f, 0x91], ["👍"])
        ] as [([UInt8], [String])])
    func `UTF-8 may be split`(_ start: [UInt8], _ whole: [String]) {
        guard let character = whole.first else { return }
        for cut in 1...start.count {
            var decoder = KeyDecoder()
            #expect(decoder.decode(Array(character.utf8.prefix(cut))).isEmpty)
            #expect(decoder.flush().isEmpty)
            #expect(decoder.decode(Array(character.utf8.dropFirst(cut))) == [.text(character)])
        }
    }

    @Test(
        arguments: [
            ([0x61, 0xff, 0x62], [.text("a\u{fffd}b")]), ([0xc3, 0x28], [.text("\u{fffd}(")]),
            ([0x80], [.text("\u{fffd}")]),
            ([0xe6, 0x97, 0x0d], [.text("\u{fffd}"), .enter]), ([0xc2, 0x9b, 0x61], [.text("a")])
        ] as [([UInt8], [Key])])
    func `invalid UTF-8 is replaced, and control characters are ignored`(_ bytes: [UInt8], _ keys: [Key]) {
        var (whole, single) = (KeyDecoder(), KeyDecoder())
        #expect(whole.decode(bytes) == keys)
        #expect(Self.joined(bytes.flatMap { single.decode([$0]) }) == keys)
    }

    private static func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { joined, key in
            if case .text(let text) = key, case .text(let before)? = joined.last {
                joined[joined.count - 1] = .text(before + text)
            } else {
                joined.append(key)
            }
        }
    }

    @Test(arguments: [
        "\u{1b}[15~", "\u{1b}[1;2P", "\u{1b}OP", "\u{1b}[[A", "\u{1b}[?1;2c", "\u{1b}]11;rgb:00/00/00\u{07}",
        "\u{1b}[I",
        "\u{1b}]11;rgb:0/0/0\u{1b}\\", "\u{1b}P1$r0m\u{1b}\\", "\u{1b}[27;5;109~", "\u{1b}x", "\u{1b}[201~", "\u{1c}",
        "\u{1b}[99999999999999999999~", "\u{1b}[" + String(repeating: "1;", count: 500) + "A\u{0e}"
    ])
    func `an unknown sequence is ignored completely, however it is split`(_ sequence: String) {
        #expect(type(["a" + sequence + "b"]).line == "ab|")
        let bytes = Array(sequence.utf8)
        for cut in 0...bytes.count where bytes.count < 50 {
            var decoder = KeyDecoder()
            var editor = LineEditor(history: History(size: 0))
            let keys = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...]) + decoder.decode(Array("b".utf8))
            for key in keys { _ = editor.press(key) }
            #expect(editor.line.text == "b")
        }
    }

    @Test func `a single ESC is a key after a timeout`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1b]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(decoder.decode(Array("[A".utf8)) == [.text("[A")])
    }

    @Test(arguments: [
        (["\u{10}"], "a\nb|"), (["\u{10}\u{10}"], "Third one|"), (["x\u{1b}[A\u{1b}[B"], "x|"),
        (["\u{1b}OA\u{0e}"], "|"),
        (["new\u{10}\u{10}!\u{10}\u{0e}"], "Third one!|"), (["new\u{10}\u{10}!\u{0e}\u{0e}"], "new|"),
        (["\u{10}\u{10}\u{10}\u{10}\u{10}"], "first|")
    ])
    func `the history keeps edited lines`(_ keys: [String], _ line: String) {
        #expect(type(keys).line == line)
    }

    @Test(arguments: [
        (["\u{12}"], "|"), (["\u{12}t"], "|Third one"), (["\u{12}t\u{12}"], "say |two"), (["\u{12}tw"], "say |two"),
        (["\u{12}t\u{12}\u{12}"], "firs|t"), (["\u{12}t\u{12}\u{12}\u{12}"], "firs|t"),
        (["\u{12}tw\u{7f}"], "|Third one"),
        (["old\u{12}tw\u{07}"], "old|"), (["old\u{12}tw\u{03}"], "old|"), (["old\u{12}tw\u{01}X"], "X|say two"),
        (["\u{12}tw\u{1b}"], "say |two"), (["\u{12}tw\u{1b}[C"], "say t|wo"),
        (["old\u{12}tw\u{0e}\u{0e}\u{0e}"], "old|"),
        (["\u{12}ONE"], "Third |one"), (["\u{12}tw\u{10}"], "first|")
    ])
    func `incremental search`(_ keys: [String], _ line: String) {
        #expect(type(keys).line == line)
    }

    @Test func `a failed search is shown, and Enter sends the match`() {
        #expect(type(["\u{12}zzz"]).last == .bell)
        #expect(type(["\u{12}tw\r"]).last == .submit("say two"))
        var editor = LineEditor(history: History(size: 10, ["a line"]))
        #expect(editor.prompt("Bot> ") == "Bot> ")
        _ = editor.press(.control("r"))
        _ = editor.press(.text("li"))
        #expect(editor.prompt("Bot> ") == "search 'li': ")
        _ = editor.press(.text("x"))
        #expect(editor.prompt("Bot> ") == "not found 'lix': ")
        #expect(editor.line.text == "a line")
    }

    @Test(
        arguments: [
            ("abc\r", .submit("abc")), ("abc\n", .submit("abc")), ("\u{03}", .interrupt), ("\u{04}", .quit),
            ("abc\u{03}", .abandon),
            ("abc\u{04}", .bell), ("\u{7f}", .bell), ("\t", .complete), ("\u{0c}", .clear), ("\u{1a}", .suspend),
            ("\u{0b}", .bell)
        ] as [(String, LineEditor.Action)])
    func `some keys return actions`(_ keys: String, _ action: LineEditor.Action) {
        #expect(type([keys]).last == action)
    }

    @Test(arguments: [
        (["a", "b", "c\u{1f}"], "|"), (["one", " ", "two\u{1f}"], "one|"), (["one", " ", "two\u{1f}\u{1f}"], "|"),
        (["one two\u{17}\u{1f}"], "one two|"), (["abc\u{01}\u{0b}\u{1f}"], "|abc"), (["abc\u{7f}\u{7f}\u{1f}"], "ab|"),
        (["x\u{1b}[A\u{1f}"], "a\nb|"), (["ab\u{1f}\u{1f}"], "|")
    ]) func `undo, by words`(_ keys: [String], _ line: String) {
        #expect(type(keys).line == line)
    }

    @Test func `there is nothing to undo in a new line`() {
        #expect(type(["ab\u{1f}\u{1f}"]).last == .bell)
    }

    @Test func `a paste is one insertion, with its line breaks`() {
        let paste = "\u{1b}[200~one\r\ntwo\rthree\nfo\tur\u{07}\u{1b}x\u{1b}[201~"
        #expect(type(["ab\u{02}" + paste]).line == "aone\ntwo\nthree\nfo\turx|b")
        var decoder = KeyDecoder()
        let keys = paste.utf8.flatMap { decoder.decode([$0]) }
        #expect(keys == [.paste("one\ntwo\nthree\nfo\turx")])
        #expect(decoder.decode(Array("\u{1b}[200~a\u{1b}[20\u{1b}[201~b".utf8)) == [.paste("a[20"), .text("b")])
        let long = String(repeating: "0123456789", count: 1_000)
        #expect(decoder.decode(Array("\u{1b}[200~\(long)\u{1b}[201~\r".utf8)) == [.paste(long), .enter])
    }

    @Test func `a line is limited to 1 MiB`() {
        var editor = LineEditor(history: History(size: 10))
        #expect(editor.press(.text(String(repeating: "x", count: EditBuffer.limit - 1))) == .none)
        #expect(editor.press(.text("é")) == .bell)
        #expect(editor.press(.text("yz")) == .bell)
        #expect(editor.line.text.utf8.count == EditBuffer.limit)
        #expect(editor.line.text.hasSuffix("xy"))
        #expect(editor.press(.backspace) == .none)
        #expect(editor.press(.text("z")) == .none)
        var decoder = KeyDecoder()
        let keys = decoder.decode(
            Array("\u{1b}[200~\(String(repeating: "x", count: 2 * EditBuffer.limit))\u{1b}[201~".utf8))
        editor.begin()
        let actions = keys.map { editor.press($0) }
        #expect(actions == [.bell])
        #expect(editor.line.text.utf8.count == EditBuffer.limit)
    }

    @Test func `the history skips duplicates, blank lines and lines that begin with a space`() {
        var history = History(size: 3, ["a", "a", "", " b", "c"])
        #expect(history.lines == ["a", "c"])
        let kept = ["c", "a", "d"].map { history.add($0) }
        #expect(kept == [false, true, true])
        #expect(history.lines == ["c", "a", "d"])
        #expect(history.numbered == [" 1  c", " 2  a", " 3  d"])
        #expect(History(size: 0, ["a"]).lines.isEmpty)
    }
}
