import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct CurrencyTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    private static let url = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

    init() {
        robot = TestRobot(name: "hubot", web: web, Currency())
    }

    /// Shaped after the file that
    /// https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/html/index.en.html links to.
    private static func rates(
        day: String = "2026-11-20",
        _ rates: String = """
        <Cube currency='USD' rate='1.0876'/>
        			<Cube currency='JPY' rate='162.53'/>
        			<Cube currency='GBP' rate='0.85570'/>
        			<Cube currency='IDR' rate='17742.05'/>
        """
    ) -> StubHTTPClient.Answer {
        StubHTTPClient.Answer(
            200, headers: ["Content-Type": "text/xml"],
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary">
            \t<gesmes:subject>Reference rates</gesmes:subject>
            \t<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
            \t<Cube>
            \t\t<Cube time='\(day)'>
            \t\t\t\(rates)</Cube>
            \t</Cube>
            </gesmes:Envelope>
            """.utf8)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: [
        ("convert 10 usd to eur", "10 USD is 9.19 EUR"), ("exchange me 10USD in EUR", "10 USD is 9.19 EUR"),
        ("convert me $10 to eur?", "10 USD is 9.19 EUR"), ("calc €10 as usd", "10 EUR is 10.88 USD"),
        ("convert £.5 into usd", ".5 GBP is 0.6355 USD"),
        ("convert 1,234.50 eur to jpy", "1,234.50 EUR is 200643.29 JPY"),
        ("calculate 1 idr to eur", "1 IDR is 0.00005636 EUR"), ("math 0 usd to eur", "0 USD is 0.00 EUR"),
        ("convert 5 eur to eur", "5 EUR is 5.00 EUR"), ("convert 0.5 eur to eur", "0.5 EUR is 0.50 EUR"),
        ("convert 999999999999999 eur to idr", "999999999999999 EUR is 17742049999999982257.95 IDR"),
        ("convert 0.00000000000001 idr to eur", "0.00000000000001 IDR is 0.0000000000000000005636 EUR")
    ])
    func `money is converted`(_ command: String, _ said: String) async {
        web.answer(Self.url, Self.rates())
        #expect(await robot.hears("hubot \(command)") == [.reply("\(said) (rate of 20 November 2026).")])
    }

    @Test(arguments: [
        ("0", "0.00"), ("1", "1.00"), ("12345.678", "12345.68"), ("0.004999", "0.004999"), ("0.99994", "0.9999"),
        ("0.99996", "1.00"), ("1.005", "1.01"), ("1.004999", "1.00"), ("0.5", "0.50"), ("0.123450", "0.1235"),
        ("0.000099996", "0.0001"), ("99.995", "100.00")
    ])
    func `amounts are rounded`(_ value: String, _ said: String) throws {
        let amount = try #require(CurrencyConversionRequest("\(value) eur to eur").flatMap(\.amount))
        #expect("\(FormattedAmount(amount))" == said)
    }

    @Test(arguments: [
        "10 cup to oz", "5 kg to lb", "3 mil to km", "2 + 2", "10 usd", "usd to eur", "10 to eur", "10 usd to euro",
        "ten usd to eur", "10 usd to eur please", "10  usd to eur", "-10 usd to eur", "10 min to sec", ""
    ])
    func `other questions aren't conversions`(_ words: Substring) {
        #expect(CurrencyConversionRequest(words) == nil)
    }

    @Test func `other sums are left to others`() async {
        #expect(await robot.hears("hubot convert 5 kg to lb") == [])
        #expect(await robot.hears("hubot calc 2 + 2") == [])
        #expect(await robot.hears("hubot convert 10 usd\nto eur") == [])
    }

    @Test(arguments: ["1,50", "1.2.3", "1,2345", ",", ".", "5.", "1234,567", "1234567890123456"])
    func `an invalid amount is reported`(_ amount: String) async {
        #expect(
            await robot.hears("hubot convert \(amount) usd to eur")
                == [.reply("I can't read that amount. Write it like 1234.50 or 1,234.50, with at most 15 digits.")])
    }

    @Test(arguments: [("10 dem to eur", "DEM"), ("10 usd to hrk", "HRK"), ("10 eur to xyz", "XYZ")])
    func `a currency without a rate is reported`(_ words: String, _ code: String) async {
        web.answer(Self.url, Self.rates())
        #expect(
            await robot.hears("hubot convert \(words)")
                == [.reply("I have no rate for \(code). I know 5 currencies, such as EUR, USD, GBP, JPY.")])
    }

    @Test func `rates are asked for once an hour`() async {
        web.answer(Self.url, Self.rates())
        _ = await robot.hears("hubot convert 1 eur to usd")
        _ = await robot.advance(by: .minutes(59))
        #expect(
            await robot.hears("hubot convert 1 eur to usd") == [.reply("1 EUR is 1.09 USD (rate of 20 November 2026).")]
        )
        _ = await robot.advance(by: .minutes(1))
        web.answer(Self.url, Self.rates(day: "2026-11-23", "<Cube currency='USD' rate='2'/>"))
        #expect(
            await robot.hears("hubot convert 1 eur to usd") == [.reply("1 EUR is 2.00 USD (rate of 23 November 2026).")]
        )
    }

    @Test func `another bank is asked instead`() async {
        web.answer("http://bank.local/stats/eurofxref/eurofxref-daily.xml", Self.rates())
        let robot = TestRobot(name: "hubot", settings: ["CURRENCY_URL": "http://bank.local/"], web: web, Currency())
        #expect(await robot.hears("hubot convert 1 eur to usd").count == 1)
    }

    @Test(arguments: Fault.allCases) func `a failure is reported, and not cached`(_ fault: Fault) async {
        web.answer(Self.url, fault.answer)
        #expect(await robot.hears("hubot convert 1 eur to usd") == [.reply(fault.spoken("www.ecb.europa.eu"))])
        web.answer(Self.url, Self.rates())
        #expect(
            await robot.hears("hubot convert 1 eur to usd") == [.reply("1 EUR is 1.09 USD (rate of 20 November 2026).")]
        )
    }

    @Test(arguments: [
        "<Cube currency='USD' rate='0'/>", "<Cube currency='USD' rate='-1'/>", "<Cube currency='USD' rate='NaN'/>",
        "<Cube currency='USD' rate='1e9'/>", "<Cube currency='USD' rate='9999999999'/>",
        "<Cube currency='usd' rate='1'/>",
        "<Cube currency='USD\u{202e}' rate='1'/>", ""
    ])
    func `a hostile file has no rates`(_ rates: String) async {
        web.answer(Self.url, Self.rates(rates))
        #expect(
            await robot.hears("hubot convert 1 eur to usd")
                == [.reply("I can't get an answer from www.ecb.europa.eu just now.")])
    }

    @Test(.timeLimit(.minutes(15))) func `long words and files are read quickly`() async {
        let long = String(repeating: "1,", count: 50_000)
        #expect(await robot.hears("hubot convert \(long)0 usd to eur").count == 1)
        #expect(await robot.hears("hubot convert \(long) kg to lb") == [])
        web.answer(Self.url, Self.rates(String(repeating: "<Cube currency='", count: 10_000)))
        #expect(await robot.hears("hubot convert 1 eur to usd").count == 1)
    }
}
