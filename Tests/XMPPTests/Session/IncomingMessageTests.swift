import Foundation
import Testing

@testable import HeybotXMPP

/// Incoming messages and their senders, and who may contact and invite the robot.
@Suite struct IncomingMessageTests {
    private func only(_ addresses: String...) -> SessionConfiguration {
        .inDev { $0.contacts = .only(Set(addresses.map { jid($0) })) }
    }

    // MARK: In rooms

    @Test func `messages and subjects are received, but not history and the robot's own`() {
        play(
            .inDev(),
            inDev + """
                < <message type='groupchat' from='dev@muc.ship.org/ann' id='m1'><body>Hi</body></message>
                = dev@muc.ship.org ann (ann@ship.org): Hi
                < <message type='groupchat' from='dev@muc.ship.org/ann' id='m2'><body>/me waves</body></message>
                = dev@muc.ship.org ann (ann@ship.org): waves
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>Tea</subject></message>
                = dev@muc.ship.org ann (ann@ship.org) sets the topic: Tea
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject/></message>
                = dev@muc.ship.org ann (ann@ship.org) sets the topic: 
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>Re: tea</subject><body>With milk</body></message>
                = dev@muc.ship.org ann (ann@ship.org): With milk
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Yesterday</body><delay:delay from='dev@muc.ship.org' stamp='2026-01-01T00:00:00Z'/></message>
                = dev@muc.ship.org ann (ann@ship.org): Yesterday late, of 2026-01-01T00:00:00Z
                < <message type='groupchat' from='dev@muc.ship.org/marvin'><body>Mine</body></message>
                < <message type='groupchat' from='dev@muc.ship.org'><body>This room is not anonymous</body></message>
                < <message type='groupchat' from='other@muc.ship.org/ann'><body>Elsewhere</body></message>
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body/></message>
                < <message type='groupchat' from='dev@muc.ship.org/ann'/>
                < <message type='groupchat' from='dev@muc.ship.org/guest'><body>Nobody knows me</body></message>
                = dev@muc.ship.org guest: Nobody knows me
                """)
    }

    @Test func `the first subject after joining is ignored, also after history`() {
        let before = inDev.components(separatedBy: "< <message")[0]
        play(
            .inDev(),
            before + """
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Old</body><delay:delay/></message>
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>Old</subject></message>
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>New</subject></message>
                = dev@muc.ship.org ann (ann@ship.org) sets the topic: New
                """)
        play(
            .inDev(),
            before + """
                < <message type='groupchat' from='dev@muc.ship.org/ann'><body>Now</body></message>
                = dev@muc.ship.org ann (ann@ship.org): Now
                < <message type='groupchat' from='dev@muc.ship.org/ann'><subject>New</subject></message>
                = dev@muc.ship.org ann (ann@ship.org) sets the topic: New
                """)
    }

    @Test func `direct messages from an occupant`() {
        let heard = """
            < <message type='chat' from='dev@muc.ship.org/ann' id='m1'><body>Psst</body><user:x/></message>
            = dev@muc.ship.org ann (ann@ship.org) privately: Psst

            """
        let guest = "< <message from='dev@muc.ship.org/guest'><body>Psst</body></message>\n"
        play(
            .inDev(),
            inDev + heard + guest + """
                = dev@muc.ship.org guest privately: Psst
                < <message type='chat' from='dev@muc.ship.org/marvin'><body>Me</body></message>
                < <message type='chat' from='dev@muc.ship.org'><body>The room</body></message>
                < <message type='chat' from='dev@muc.ship.org/ann'><body>Old</body><delay:delay from='ship.org'/></message>
                = dev@muc.ship.org ann (ann@ship.org) privately: Old late, of \("")
                """)
        play(only("ann@ship.org"), inDev + heard + guest)
        play(.inDev { $0.contacts = .none }, inDev + guest)
    }

    // MARK: One process

    @Test func `direct messages from people, and stanzas that aren't messages`() {
        play(
            alone + """
                < <message from='bob@b.org/x' type='chat' id='1'><body>Hi</body></message>
                = bob@b.org/x privately: Hi
                < <message from='bob@b.org' type='normal'><body>/me sings</body></message>
                = bob@b.org privately: sings
                < <message from='bob@b.org/x' type='headline'><body>News!</body></message>
                < <message from='bob@b.org/x' type='groupchat'><body>Where?</body></message>
                < <message from='bob@b.org/x'><body>Old</body><delay:delay from='ship.org' stamp='2026-01-01T00:00:00Z'/></message>
                = bob@b.org/x privately: Old late, of 2026-01-01T00:00:00Z
                < <message from='@@'><body>Nobody</body></message>
                < <message from='marvin@ship.org/phone'><body>Me elsewhere</body></message>
                < <message><body>Our own account</body></message>
                < <message from='marvin@ship.org'><carbons:received><forward:forwarded><message from='bob@b.org'><body>Hi</body></message></forward:forwarded></carbons:received></message>
                < <message from='evil@b.org'><carbons:received><forward:forwarded><message from='bob@b.org'><body>Hi</body></message></forward:forwarded></carbons:received></message>
                < <presence from='bob@b.org/x'/>
                < <message xmlns='jabber:server' from='bob@b.org'><body>Wrong</body></message>
                """)
    }

    @Test func `only allowed contacts are received`() {
        let transcript =
            inDev + """
                < <message from='bob@b.org/x'><body>Hi</body></message>
                = bob@b.org/x privately: Hi
                < <message from='cid@c.org'><body>Hi</body></message>
                = cid@c.org privately: Hi
                < <message from='eve@b.org'><body>Hi</body></message>
                < <message from='b.org'><body>Hi</body></message>
                """
        play(only("bob@b.org", "c.org"), transcript)
    }

    /// ejabberd passes on addresses as they were typed, and compares them by Unicode 3.2, in which U+2F874 is 弳.
    @Test func `an address in another form than the normal one identifies nobody`() {
        play(
            alone + """
                < <message from='当麻@b.org/x'><body>Hi</body></message>
                = 当麻@b.org/x privately: Hi
                < <message from='\u{2F874}麻@b.org/x'><body>Hi</body></message>
                = 当麻@b.org/x unidentified privately: Hi
                < <message from='Bob@b.org/x'><body>Hi</body></message>
                = bob@b.org/x privately: Hi
                """)
        play(
            only("当麻@b.org"),
            inDev + """
                < <message from='当麻@b.org/x'><body>Hi</body></message>
                = 当麻@b.org/x privately: Hi
                < <message from='\u{2F874}麻@b.org/x'><body>Hi</body></message>
                < <presence type='subscribe' from='\u{2F874}麻@b.org'/>
                """)
    }

    // MARK: Contacts

    @Test func `subscriptions of allowed contacts are approved`() {
        play(
            only("bob@b.org"),
            inDev + """
                < <presence type='subscribe' from='bob@b.org'/>
                > <presence type='subscribed' to='bob@b.org'/>
                > <presence type='subscribe' to='bob@b.org'/>
                * accepted a contact request from bob@b.org
                < <presence type='subscribed' from='bob@b.org'/>
                < <presence type='subscribe' from='eve@b.org/x'/>
                > <presence type='unsubscribed' to='eve@b.org'/>
                * rejected a contact request from eve@b.org
                < <presence type='unsubscribe' from='bob@b.org'/>
                > <presence type='unsubscribed' to='bob@b.org'/>
                > <presence type='unsubscribe' to='bob@b.org'/>
                """)
    }

    @Test(arguments: ["subscribe", "unsubscribe"])
    func `answers to many requests are rate-limited`(_ type: String) {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        var count = 0
        for index in 0..<1_000 {
            guard let event = TranscriptPlayer.event("<presence type='\(type)' from='p\(index)@b.org'/>") else {
                continue
            }
            stage.act { session, now in
                count += session.receive(event, at: now).isEmpty ? 0 : 1
                return []
            }
        }
        #expect(count == 60)
    }
}
