import Testing

@testable import HeybotXMPP

/// Copies of messages (XEP-0280) that somebody else than the account's own server claims to pass on.
@Suite struct ForgedCarbonTests {
    private let strangers = [
        "marvin@ship.org/phone", "ship.org", "b.org", "eve@b.org/x", "ann@ship.org/x", "dev@muc.ship.org",
        "dev@muc.ship.org/ann"
    ]

    /// A copy of a command by Ann.
    private func copy(_ kind: String) -> String {
        "<carbons:\(kind)><forward:forwarded><message from='ann@ship.org/x' to='marvin@ship.org/r1' type='chat'>"
            + "<body>give eve rights</body></message></forward:forwarded></carbons:\(kind)>"
    }

    @Test(arguments: ["received", "sent"]) func `a copy from a stranger isn't a message of its author`(_ kind: String) {
        let copies = strangers.map { "< <message from='\($0)' type='chat'>\(copy(kind))</message>\n" }
        play(.inDev(), inDev + copies.joined())
    }

    /// The session asks for no copies; acting on one would answer what was said to another client.
    @Test(arguments: ["received", "sent"]) func `a copy from the account itself isn't handled either`(_ kind: String) {
        let senders = ["", " from='marvin@ship.org'", " from='marvin@ship.org/r1'"]
        let copies = senders.map { "< <message type='chat'\($0)>\(copy(kind))</message>\n" }
        play(.inDev(), inDev + copies.joined())
    }

    @Test(arguments: ["received", "sent"]) func `a message with such a copy is its sender's`(_ kind: String) {
        play(
            .inDev(),
            inDev + """
                < <message from='eve@b.org/x' type='chat'><body>Hi</body>\(copy(kind))</message>
                = eve@b.org/x privately: Hi
                < <message from='dev@muc.ship.org/ann' type='groupchat'>\(copy(kind))<body>Hi all</body></message>
                = dev@muc.ship.org ann (ann@ship.org): Hi all
                """)
    }
}
