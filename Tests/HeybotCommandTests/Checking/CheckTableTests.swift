import Heybot
import Testing

@testable import HeybotCommand

@Suite struct CheckTableTests {
    @Test func `rows are aligned, and a cure is below its row`() {
        var table = CheckTable(adapters: ["irc"], colors: false)
        let rows = table.rows(
            of: "irc",
            [
                CheckStep("irc.example.org:6697", .passed("connected")),
                CheckStep("nick", .warned("marvin is taken", cure: "set another")),
                CheckStep("#dev", .failed("no", cure: "ask")), CheckStep("#ops", .skipped("not now"))
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
        #expect(table.rows(of: "settings", [CheckStep("", .passed("3 set"))]) == ["ok    settings  3 set"])
        #expect(table.summary == "2 ok, 1 to look after, 1 failed, 1 skipped")
    }

    @Test func `what servers say can't break a row, nor fill the screen`() {
        var table = CheckTable(adapters: ["irc"], colors: false)
        let step = CheckStep("#a\u{1b}[2J", .failed("no\nok    irc  all is well\u{202e}", cure: "x\r\ny"))
        #expect(
            table.rows(of: "irc", [step]) == [
                "FAIL  irc       #a [2J  no ok    irc  all is well ", "                → x  y"
            ])
        let long = CheckStep("", .passed(String(repeating: "x", count: 10_000)))
        #expect((table.rows(of: "irc", [long]).first?.count ?? 0) < 500)
    }

    @Test func `colors are around the first word only`() {
        var table = CheckTable(adapters: ["irc"], colors: true)
        #expect(
            table.rows(of: "irc", [CheckStep("", .failed("no", cure: "ask"))])[0]
                == "\u{1b}[31mFAIL\u{1b}[0m  irc       no")
    }

    @Test func `an error's cure is its own, and names the setting`() {
        #expect(
            CheckStep.Outcome.failed(
                StoreError(.refused, "it is refused: no, really", cure: "check: the password"),
                setting: "HEYBOT_REDIS_URL")
                == .failed("it is refused: no, really", cure: "check: the password (HEYBOT_REDIS_URL)"))
        #expect(
            CheckStep.Outcome.failed(StoreError(.failed, "it says: no"), setting: "HEYBOT_DATA")
                == .failed("it says: no", cure: "check HEYBOT_DATA"))
    }
}
