import Testing

@testable import HeybotCommand

/// Tests of the conversion between Hubot's member names and the store's keys.
@Suite struct HubotBrainMemberTests {
    @Test(
        arguments: [
            (.users, "users"), (.ofPrivate("scores"), "scores"), (.ofPrivate(""), ""), (.ofData("karma"), "data.karma"),
            (.ofData(""), "data."), (.ofPrivate("users"), "_private.users"),
            (.ofPrivate("data.karma"), "_private.data.karma"), (.ofPrivate("data.users"), "_private.data.users"),
            (.ofPrivate("_private.x"), "_private._private.x"), (.ofPrivate("_private."), "_private._private."),
            (.ofPrivate("_private"), "_private"), (.ofPrivate("data"), "data"), (.ofPrivate("Users"), "Users"),
            (.ofData("data.karma"), "data.data.karma"), (.ofData("_private.users"), "data._private.users"),
            (.ofData("\u{301}e"), "data.\u{301}e"), (.ofPrivate("data.\u{301}e"), "_private.data.\u{301}e")
        ] as [(HubotBrainMember, String)])
    func `members and names correspond`(_ member: HubotBrainMember, _ name: String) throws {
        #expect(member.name.utf8.elementsEqual(name.utf8))
        let back = try #require(HubotBrainMember(name: name))
        #expect(back == member)
        #expect(back.name.utf8.elementsEqual(name.utf8))
    }

    @Test(arguments: ["data.users", "data._private", "_private.motto", "_private.", "_private._private"])
    func `a name without a member is nil`(_ name: String) {
        #expect(HubotBrainMember(name: name) == nil)
    }

    @Test func `other members differ from users and _private`() {
        #expect(HubotBrainMember(brainMember: "users") == .users)
        #expect(HubotBrainMember(brainMember: "_private") == nil)
        #expect(HubotBrainMember(brainMember: "karma") == .ofData("karma"))
    }

    @Test func `names are unique and convert back`() {
        let parts = ["users", "data.", "_private.", "_private", "data", "x", "", "\u{301}"]
        let names = parts + parts.flatMap { first in parts.flatMap { second in parts.map { first + second + $0 } } }
        var seen: [[UInt8]: HubotBrainMember] = [:]
        for member in names.map(HubotBrainMember.ofPrivate) + names.compactMap(HubotBrainMember.init(brainMember:)) {
            #expect(HubotBrainMember(name: member.name) == member)
            if let other = seen.updateValue(member, forKey: Array(member.name.utf8)) { #expect(other == member) }
        }
        for name in names {
            if let member = HubotBrainMember(name: name) { #expect(member.name.utf8.elementsEqual(name.utf8)) }
        }
    }
}
