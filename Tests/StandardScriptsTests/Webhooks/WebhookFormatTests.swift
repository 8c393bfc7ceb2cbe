import Heybot
import HeybotSupport
import TestServers
import Testing

@testable import StandardScripts

/// Payloads written after the documentation of their tools.
@Suite struct WebhookFormatTests {
    @Test(arguments: WebhookSample.all)
    func `a documented payload gives readable lines`(_ sample: WebhookSample) throws {
        let json = try #require(JSONValue(sample.json))
        let reading = Webhooks.read(Webhooks.Payload(json, headers: sample.headers))
        #expect(try lines(reading) == sample.lines)
    }

    /// The lines of a webhook without a chosen name; for an ignored payload, the reason in parentheses.
    private func lines(_ reading: Webhooks.Reading) throws -> [String] {
        switch reading {
        case .notice(let notice):
            let name = try #require(Webhooks.WebhookName("1"))
            return notice.lines(label: name.label(of: notice))
        case .ignored(let reason): return ["(\(reason))"]
        }
    }
}
