import Foundation
import Heybot
import Testing

/// The JSON of values that go between processes: its names must stay, because two versions may exchange them.
@Suite struct AdapterValueCodingTests {
    private static let message = Message.ID(adapter: "irc", value: "1")
    private static let member = RoomMember(user: User(id: .init(adapter: "irc", value: "al"), name: "Al"), stay: "s1")
    private static let memberText =
        #"{"stay":"s1","user":{"id":"irc:al","isAnonymous":false,"name":"Al"}}"#
    private static let ban = RoomRestriction(.ban, of: "*!*@host")
    private static let banText = #"{"kind":"ban","subject":"*!*@host"}"#
    private static let actions: [(ModerationAction, String)] = [
        (.giveOperator(member), #"{"kind":"giveOperator","member":\#(memberText)}"#),
        (.takeOperator(member), #"{"kind":"takeOperator","member":\#(memberText)}"#),
        (.giveVoice(member), #"{"kind":"giveVoice","member":\#(memberText)}"#),
        (.takeVoice(member), #"{"kind":"takeVoice","member":\#(memberText)}"#),
        (.kick(member, reason: "spam"), #"{"kind":"kick","member":\#(memberText),"reason":"spam"}"#),
        (
            .restrict(member, ban, reason: "spam"),
            #"{"kind":"restrict","member":\#(memberText),"reason":"spam","restriction":\#(banText)}"#
        ),
        (
            .restrictAbsent(ban, reason: "spam"),
            #"{"kind":"restrictAbsent","reason":"spam","restriction":\#(banText)}"#
        ),
        (.retract(message, reason: "spam"), #"{"kind":"retract","message":"irc:1","reason":"spam"}"#),
        (.lift(ban, ifOwn: true), #"{"ifOwn":true,"kind":"lift","restriction":\#(banText)}"#),
        (.setTopic("news"), #"{"kind":"setTopic","topic":"news"}"#)
    ]

    @Test(arguments: [
        (AdapterStatus.starting, #"{"state":"starting"}"#),
        (.up(since: Date(timeIntervalSinceReferenceDate: 5)), #"{"since":5,"state":"up"}"#),
        (
            .down(since: Date(timeIntervalSinceReferenceDate: 5), reason: "no route"),
            #"{"reason":"no route","since":5,"state":"down"}"#
        ),
        (.ended(since: Date(timeIntervalSinceReferenceDate: 5)), #"{"since":5,"state":"ended"}"#)
    ])
    func `an adapter's status is encoded under stable names`(_ status: AdapterStatus, _ coded: String) throws {
        try check(status, coded)
    }

    @Test(arguments: [
        (MessageChange.edit(.text("a")), #"{"kind":"edit","utterance":{"kind":"text","text":"a"}}"#),
        (.react("+1"), #"{"kind":"react","reaction":"+1"}"#),
        (.unreact("+1"), #"{"kind":"unreact","reaction":"+1"}"#),
        (.retract, #"{"kind":"retract"}"#)
    ])
    func `changes of messages are encoded under stable names`(_ change: MessageChange, _ coded: String) throws {
        try check(change, coded)
    }

    @Test(arguments: actions)
    func `actions of moderators are encoded under stable names`(_ action: ModerationAction, _ coded: String) throws {
        try check(action, coded)
    }

    @Test func `unknown members are ignored`() throws {
        let text = #"{"kind":"react","reaction":"+1","weight":3}"#
        #expect(try JSONDecoder().decode(MessageChange.self, from: Data(text.utf8)) == .react("+1"))
        let status = #"{"state":"starting","server":"a"}"#
        #expect(try JSONDecoder().decode(AdapterStatus.self, from: Data(status.utf8)) == .starting)
    }

    @Test(arguments: [
        #"{"kind":"paint"}"#, #"{"kind":"react"}"#, #"{"kind":7}"#, "[]"
    ])
    func `what isn't a change of a message can't be decoded`(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(MessageChange.self, from: Data(text.utf8))
        }
    }

    private func check<Value: Codable & Equatable>(_ value: Value, _ coded: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == coded)
        #expect(try JSONDecoder().decode(Value.self, from: Data(coded.utf8)) == value)
    }
}
