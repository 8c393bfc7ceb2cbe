import HeybotIRC
import Testing

@Suite struct CTCPTests {
    @Test(arguments: [
        ("\u{1}ACTION waves\u{1}", CTCP("ACTION", "waves")), ("\u{1}action waves", CTCP("ACTION", "waves")),
        ("\u{1}VERSION\u{1}", CTCP("VERSION")), ("\u{1}PING 1 2\u{1}", CTCP("PING", "1 2")),
        ("\u{1}PING  1 \u{1}", CTCP("PING", " 1 ")), ("\u{1}ACTION \u{1}", CTCP("ACTION")),
        ("\u{1}ACTION a\u{1}b\u{1}", CTCP("ACTION", "a")),
        ("\u{1}ACTION \u{301}日本\u{1}", CTCP("ACTION", "\u{301}日本"))
    ])
    func `CTCP is parsed`(_ text: String, _ ctcp: CTCP) {
        #expect(CTCP(parsing: text) == ctcp)
        #expect(CTCP(parsing: ctcp.description) == ctcp)
    }

    @Test(arguments: ["", "ACTION waves", "\u{1}", "\u{1}\u{1}", "\u{1} x\u{1}", " \u{1}ACTION x\u{1}", "a\u{1}b\u{1}"])
    func `other text isn't CTCP`(_ text: String) {
        #expect(CTCP(parsing: text) == nil)
    }

    @Test(arguments: [
        (CTCP("action", "waves"), "\u{1}ACTION waves\u{1}"), (CTCP("VERSION"), "\u{1}VERSION\u{1}"),
        (CTCP("PING", "a\u{1}b"), "\u{1}PING ab\u{1}"), (CTCP("PI\u{1}NG x", "y"), "\u{1}PINGX y\u{1}")
    ])
    func `CTCP is written`(_ ctcp: CTCP, _ text: String) {
        #expect(ctcp.description == text)
    }
}
