import Foundation
import Heybot
import Testing

@Suite struct ValueTests {
    @Test func `ids are the same if their bytes are, and then have the same hash`() {
        let ids = ["é", "e\u{301}", "e", "", "a longer id than fits inline"].flatMap { value in
            ["irc", "xmpp"].map { User.ID(adapter: $0, value: value) }
        }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            // Another copy of the text.
            let same = User.ID(adapter: id.adapter, value: String(decoding: Array(id.value.utf8), as: UTF8.self))
            #expect(same == id && same.hashValue == id.hashValue && Set(ids).contains(same))
        }
    }

    @Test func `a scoped id is one string, with colons in its value`() throws {
        let id = User.ID(adapter: "irc", value: "a:b")
        #expect("\(id)" == "irc:a:b")
        #expect(User.ID("irc:a:b") == id)
        #expect(User.ID(adapter: "irc", value: "ren\u{E9}") != User.ID(adapter: "irc", value: "rene\u{301}"))
        // A mark that combines with the colon belongs to the value.
        let mark = User.ID(adapter: "irc", value: "\u{301}a")
        #expect(User.ID("\(mark)") == mark)
        #expect(User.ID("irc") == nil)
        #expect(User.ID(":b") == nil)
        #expect(try json(id) == #""irc:a:b""#)
        #expect(try json([id: 1]) == #"{"irc:a:b":1}"#)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(User.ID.self, from: Data(#""irc""#.utf8)) }
    }

    @Test func `an adapter's ids have its name, and what is given no name or id gets one`() {
        let adapter = ManualAdapter("irc")
        let user = User(id: adapter.id("ada"))
        #expect(user == User(id: User.ID(adapter: "irc", value: "ada"), name: "ada"))
        let room = Room(id: adapter.id("#dev"))
        let ids = (1...2).map { _ in Message(user: user, room: room, content: .text("hi")).id }
        #expect(ids.allSatisfy { $0.adapter == "irc" } && ids[0] != ids[1])
    }

    @Test(arguments: [
        (Message.Content.text("hi"), #"{"kind":"text","text":"hi"}"#),
        (.enter, #"{"kind":"enter"}"#),
        (.leave(reason: nil), #"{"kind":"leave"}"#),
        (.leave(reason: "bye"), #"{"kind":"leave","text":"bye"}"#),
        (.topic("news"), #"{"kind":"topic","text":"news"}"#),
        (
            .reaction(Message.Reaction(to: .init(adapter: "irc", value: "1"), added: ["+1"])),
            #"{"added":["+1"],"kind":"reaction","message":"irc:1"}"#
        ),
        (.retraction(of: .init(adapter: "irc", value: "1")), #"{"kind":"retraction","message":"irc:1"}"#),
        (.profile(Message.ProfileChange(formerName: "al")), #"{"formerName":"al","kind":"profile"}"#),
        (.profile(Message.ProfileChange(realName: "Al B.")), #"{"kind":"profile","realName":"Al B."}"#)
    ])
    func `messages are encoded under stable names`(_ content: Message.Content, _ coded: String) throws {
        #expect(try json(content) == coded)
        #expect(try JSONDecoder().decode(Message.Content.self, from: Data(coded.utf8)) == content)
    }

    @Test(arguments: [
        (Utterance.text("a"), #"{"kind":"text","text":"a"}"#), (.reply("a"), #"{"kind":"reply","text":"a"}"#),
        (.emote("a"), #"{"kind":"emote","text":"a"}"#), (.topic("a"), #"{"kind":"topic","text":"a"}"#)
    ])
    func `utterances are encoded under stable names`(_ utterance: Utterance, _ coded: String) throws {
        #expect(try json(utterance) == coded)
        #expect(try JSONDecoder().decode(Utterance.self, from: Data(coded.utf8)) == utterance)
    }

    @Test func `a message comes back from JSON as it was`() throws {
        let message = Message(
            id: .init(adapter: "irc", value: "1"), user: User(id: .init(adapter: "irc", value: "al"), name: "Al"),
            room: Room(id: .init(adapter: "irc", value: "#a")), content: .text("é"),
            time: Date(timeIntervalSinceReferenceDate: 5))
        #expect(try JSONDecoder().decode(Message.self, from: Data(json(message).utf8)) == message)
        var related = message
        related.reply = Message.Reply(message: message.id, text: "what?")
        related.thread = "t"
        related.isLate = true
        related.correction = message.id
        related.attachments = [Message.AttachedFile(url: "https://example.org/a.png", name: "a.png", size: 5)]
        #expect(related != message)
        #expect(try JSONDecoder().decode(Message.self, from: Data(json(related).utf8)) == related)
        let envelope = Envelope(room: message.room, user: message.user, message: message.id)
        #expect(try JSONDecoder().decode(Envelope.self, from: Data(json(envelope).utf8)) == envelope)
    }

    @Test func `a plain reply names the user in a room, and not in private`() {
        let user = User(id: .init(adapter: "irc", value: "al"), name: "Al")
        let room = Room(id: .init(adapter: "irc", value: "#a"))
        #expect(Envelope(room: room, user: user).plainReply("yes") == "Al: yes")
        #expect(Envelope(room: room).plainReply("yes") == "yes")
        let privately = Room(id: .init(adapter: "irc", value: "al"), isPrivate: true)
        #expect(Envelope(room: privately, user: user).plainReply("yes") == "yes")
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
