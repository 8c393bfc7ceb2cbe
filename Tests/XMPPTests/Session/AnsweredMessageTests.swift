import Testing

@testable import HeybotXMPP

@Suite struct AnsweredMessageTests {
    /// Servers choose stanza ids.
    private static let ids = ["a1", "~", "a~b", "\u{301}a", "\u{200d}", "1 & 'x'", String(repeating: "x", count: 128)]

    @Test(arguments: ids) func `an id tells any stanza id`(_ id: String) {
        let answered = AnsweredMessage(id)
        #expect(answered == .message(id))
        #expect(AnsweredMessage(toldBy: answered.telling(in: "r-1")) == answered)
    }

    @Test func `an id tells that its message answers nothing, or doesn't tell`() {
        #expect(AnsweredMessage(toldBy: AnsweredMessage.nothing.telling(in: "r-1")) == .nothing)
        #expect(AnsweredMessage(toldBy: AnsweredMessage.unknown.telling(in: "r-1")) == .unknown)
        #expect(AnsweredMessage(toldBy: nil) == .unknown)
        // A longer one could exceed what servers accept.
        for id in [nil, String(repeating: "x", count: 129)] { #expect(AnsweredMessage(id) == .unknown) }
    }
}
