import Heybot
import Testing

@testable import HeybotCommand

@Suite struct CheckTableTests {
    @Test func `rows are aligned, with a fix below its row`() {
        var table = CheckTable(adapters: ["irc"], colors: false)
        let rows = table.rows(
            of: "irc",
            [
                PreflightCheckResult("irc.example.org:6697", .passed("connected")),
                PreflightCheckResult("nick", .warned("marvin is taken", fix: "set another")),
                PreflightCheckResult("#dev", .failed("no", fix: "ask")),
                PreflightCheckResult("#ops", .skipped("not now"))
            ])
        #expect(
            rows == [
                "ok    irc       irc.example.org:6697  connected",  //
                "warn  irc       nick                  marvin is taken",  //
                "                → set another",  //
                "FAIL  irc       #dev                  no",  //
                "                → ask",  //
                "skip  irc       #ops                  not now"
            ])
        #expect(table.rows(of: "settings", [PreflightCheckResult("", .passed("3 set"))]) == ["ok    settings  3 set"])
        #expect(table.summary == "2 ok, 1 warned, 1 failed, 1 skipped")
    }

    @Test func `text from servers can't break a row or fill the screen`() {
        var table = CheckTable(adapters: ["irc"], colors: false)
        let step = PreflightCheckResult("#a\u{1b}[2J", .failed("no\nok    irc  all is well\u{202e}", fix: "x\r\ny"))
        #expect(
            table.rows(of: "irc", [step]) == [
                "FAIL  irc       #a [2J  no ok    irc  all is well ", "                → x  y"
            ])
        let long = PreflightCheckResult("", .passed(String(repeating: "x", count: 10_000)))
        #expect((table.rows(of: "irc", [long]).first?.count ?? 0) < 500)
    }

    @Test func `only the first word is colored`() {
        var table = CheckTable(adapters: ["irc"], colors: true)
        #expect(
            table.rows(of: "irc", [PreflightCheckResult("", .failed("no", fix: "ask"))])[0]
                == "\u{1b}[31mFAIL\u{1b}[0m  irc       no")
    }

    @Test func `an error's own fix is shown, with the setting`() {
        #expect(
            PreflightCheckResult.Outcome.failed(
                StoreError(.refused, "it is refused: no, really", fix: "check: the password"),
                setting: "HEYBOT_REDIS_URL")
                == .failed("it is refused: no, really", fix: "check: the password (HEYBOT_REDIS_URL)"))
        #expect(
            PreflightCheckResult.Outcome.failed(StoreError(.failed, "it says: no"), setting: "HEYBOT_DATA")
                == .failed("it says: no", fix: "check HEYBOT_DATA"))
    }
}
