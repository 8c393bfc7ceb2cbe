import HeybotIRC
import Testing

@Suite struct FormattingTests {
    @Test(arguments: [
        ("plain é日本", "plain é日本"), ("", ""), ("\u{2}bold\u{2} \u{1d}i\u{1d} \u{1f}u\u{1f}", "bold i u"),
        ("\u{1e}s\u{11}m\u{16}r\u{f}", "smr"), ("\u{3}4red\u{3}", "red"), ("\u{3}04,12x", "x"), ("\u{3}4,x", ",x"),
        ("\u{3},4x", ",4x"), ("\u{3}123", "3"), ("\u{3}1,234", "4"), ("\u{3}12,", ","), ("\u{3}", ""),
        ("\u{3}1,2,3", ",3"), ("\u{3}\u{2}5", "5"), ("\u{4}FF00aax", "x"), ("\u{4}FF00aa,00FF00x", "x"),
        ("\u{4}FF00aa,00FFx", ",00FFx"),
        ("\u{4}FF00x", "FF00x"), ("\u{4}", ""), ("\u{4}FF00a", "FF00a"), ("a\u{1}b\tc\u{7}", "a\u{1}b\tc\u{7}"),
        ("e\u{2}\u{301}", "e\u{301}"), ("日\u{3}4本", "日本")
    ])
    func `formatting codes are removed`(_ text: String, _ plain: String) {
        #expect(Formatting.plain(text) == plain)
    }
}
