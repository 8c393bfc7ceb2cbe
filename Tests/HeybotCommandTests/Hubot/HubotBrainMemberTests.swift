import Testing

@testable import HeybotCommand

/// The names of Hubot's members, and ours.
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
        ] as [(HubotMember, String)])
    func `each member has its name, and the name its member`(_ member: HubotMember, _ name: String) throws {
        #expect(member.name.utf8.elementsEqual(name.utf8))
        let back = try #require(HubotMember(name: name))
        #expect(back == member)
        #expect(back.name.utf8.elementsEqual(name.utf8))
    }

    @Test(arguments: ["data.users", "data._private", "_private.motto", "_private.", "_private._private"])
    func `a name no member has is none`(_ name: String) {
        #expect(HubotMember(name: name) == nil)
    }

    @Test func `what is beside users and _private is told apart from them`() {
        #expect(HubotMember(brainMember: "users") == .users)
        #expect(HubotMember(brainMember: "_private") == nil)
        #expect(HubotMember(brainMember: "karma") == .ofData("karma"))
    }

    @Test func `no two members have the same name, and every name that has a member is that member's`() {
        let parts = ["users", "data.", "_private.", "_private", "data", "x", "", "\u{301}"]
        let names = parts + parts.flatMap { first in parts.flatMap { second in parts.map { first + second + $0 } } }
        var seen: [[UInt8]: HubotMember] = [:]
        for member in names.map(HubotMember.ofPrivate) + names.compactMap(HubotMember.init(brainMember:)) {
            #expect(HubotMember(name: member.name) == member)
            if let other = seen.updateValue(member, forKey: Array(member.name.utf8)) { #expect(other == member) }
        }
        for name in names {
            if let member = HubotMember(name: name) { #expect(member.name.utf8.elementsEqual(name.utf8)) }
        }
    }
}
