import NIOCore
import Testing

@testable import HeybotWebServer

@Suite struct ConnectionLimiterTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("2001:db8::1", "2001:db8::ffff:2:3:4", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("::1", "127.0.0.1", false)
    ])
    func `clients are distinguished by their networks`(_ one: String, _ other: String, _ isSame: Bool) throws {
        let networks = try [one, other].enumerated().map { index, text in
            ConnectionLimiter.network(of: try SocketAddress(ipAddress: text, port: 1_000 + index))
        }
        #expect((networks[0] == networks[1]) == isSame)
        #expect(!networks.contains([]))
    }
}
