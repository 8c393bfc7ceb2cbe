import HeybotIRC
import Testing

@Suite struct HostnameTests {
    @Test(arguments: [
        ("a.b", true), ("a.b.", true), ("a..b", false), (".", false), (".a", false), ("a-.b", false), ("ä.de", false),
        (String(repeating: "a", count: 63) + ".b", true), (String(repeating: "a", count: 64) + ".b", false),
        (String(repeating: "a.", count: 126) + "b", true), (String(repeating: "a.", count: 127), false)
    ])
    func `host names are validated`(_ name: String, _ isValid: Bool) {
        #expect(Hostname.isValid(name) == isValid)
    }
}
