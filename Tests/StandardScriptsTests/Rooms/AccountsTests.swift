import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct AccountsTests {
    private static let address = "ada@example.org"

    private let irc = PrivateNetwork("irc")
    private let xmpp = PrivateNetwork("xmpp")
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["irc:root"], brain: brain, settings: ["TIME_ZONE": "UTC"],
            networks: [irc, xmpp], Accounts(), Roles(), PlusPlus(), Seen())
    }

    private func user(_ network: String, _ id: String, called name: String? = nil) -> User {
        User(id: User.ID(adapter: network, value: id), name: name ?? id)
    }

    /// Asks for a code on IRC, and returns it.
    private func offer(from user: String = "ada", to address: String = Self.address) async -> String {
        let answer = await irc.hears("link xmpp:\(address)", from: user).first ?? ""
        let words = answer.split(separator: "\"")
        return words.count > 1 ? String(words[1].suffix(6)) : ""
    }

    /// Links ada's accounts.
    private func link() async {
        let code = await offer()
        _ = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        _ = await xmpp.hears("yes", from: Self.address)
        _ = (irc.takeDelivered(), xmpp.takeDelivered())
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `a code said by the other account links both`() async {
        let code = await offer()
        #expect(code.count == 6)
        #expect(
            await xmpp.hears("link irc:ada \(code.lowercased())", from: Self.address)
                == ["Then irc:ada has all your roles, and gets your reminders. Is that you? (yes/no)"])
        #expect(robot.robot.accounts(of: user("irc", "ada")).count == 1)
        #expect(
            await xmpp.hears("yes", from: Self.address)
                == ["OK, irc:ada and xmpp:ada@example.org are one person to me. To end that, say \"unlink irc:ada\"."])
        #expect(
            irc.takeDelivered().last
                == "ada: xmpp:ada@example.org and you are one person to me now. To end that, say \"unlink\".")
        let accounts = robot.robot.accounts(of: user("irc", "ada")).map(\.id.description)
        #expect(accounts == ["irc:ada", "xmpp:ada@example.org"])
        #expect(await irc.hears("who am I", from: "ada") == ["You're ada (irc:ada), and also xmpp:ada@example.org."])
        #expect(await irc.hears("hubot who am I", from: "ada", in: "#dev") == ["You're ada (irc:ada)."])
    }

    @Test func `only the named account can say the code, in private, and once`() async {
        let code = await offer()
        let wrong = "That code isn't right, or too old. Say \"link xmpp:"
        let other = await xmpp.hears("link irc:ada \(code)", from: "mallory@example.org")
        #expect(other.count == 1 && other.allSatisfy { $0.hasPrefix(wrong) })
        #expect(
            await xmpp.hears("hubot link irc:ada \(code)", from: Self.address, in: "dev@x")
                == ["Say that to me in private."])
        _ = await robot.advance(by: .seconds(6))
        #expect(
            await xmpp.hears("link irc:ada \(code)", from: Self.address, isAnonymous: true)
                == [
                    "I can't verify who you are. Log in to your account on xmpp, and say it again. "
                        + "If that network has no accounts, Heybot's guide to xmpp describes other ways to verify "
                        + "users."
                ])
        #expect(
            await xmpp.hears("who am I", from: Self.address, isAnonymous: true)
                == [
                    "You're ada@example.org (xmpp:ada@example.org), but I can't verify that: log in to your account "
                        + "on xmpp. If that network has no accounts, Heybot's guide to xmpp describes other ways to "
                        + "verify users."
                ])
        _ = await robot.advance(by: .seconds(6))
        _ = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        #expect(await xmpp.hears("no", from: Self.address) == ["OK, I won't."])
        _ = await robot.advance(by: .seconds(6))
        _ = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        _ = await xmpp.hears("yes", from: Self.address)
        #expect(robot.robot.accounts(of: user("irc", "ada")).count == 2)
        _ = await robot.advance(by: .seconds(6))
        let again = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        #expect(again.count == 1 && again.allSatisfy { $0.hasPrefix(wrong) })
    }

    @Test func `a code expires, and can't be guessed`() async {
        let old = await offer()
        _ = await robot.advance(by: .minutes(11))
        _ = await xmpp.hears("link irc:ada \(old)", from: Self.address)
        _ = await xmpp.hears("yes", from: Self.address)
        #expect(robot.robot.accounts(of: user("irc", "ada")).count == 1)

        let code = await offer()
        for _ in 0..<4 {
            _ = await robot.advance(by: .seconds(6))
            _ = await xmpp.hears("link irc:ada AAAAAA", from: Self.address)
        }
        _ = await robot.advance(by: .seconds(6))
        _ = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        _ = await xmpp.hears("yes", from: Self.address)
        #expect(robot.robot.accounts(of: user("irc", "ada")).count == 1)
    }

    @Test func `roles hold for all accounts, and are revoked from all`() async throws {
        await link()
        let (nick, address) = (user("irc", "ada"), user("xmpp", Self.address))
        try await robot.robot.set(role: "deployer", of: nick, to: true)
        #expect(robot.robot.roles(of: address) == ["deployer"])
        // Anybody may take a name.
        let stranger = User(id: address.id, name: "ada", isAnonymous: true)
        #expect(robot.robot.roles(of: stranger) == [])
        try await robot.robot.set(role: "deployer", of: address, to: false)
        #expect(robot.robot.roles(of: nick) == [])

        try await robot.robot.set(role: "deployer", of: nick, to: true)
        #expect(
            await xmpp.hears("unlink irc:mallory", from: Self.address)
                == ["irc:mallory isn't linked with this account."])
        #expect(await xmpp.hears("unlink irc:ada", from: Self.address) == ["OK, irc:ada is no longer linked."])
        #expect(robot.robot.roles(of: address) == [])
        #expect(robot.robot.roles(of: nick) == ["deployer"])
        #expect(await xmpp.hears("unlink", from: Self.address) == ["This account isn't linked with others."])
    }

    @Test func `an admin unlinks somebody's account, and revokes a role that a stranger seems to have`() async throws {
        await link()
        let (nick, address) = (user("irc", "ada"), user("xmpp", Self.address))
        try await robot.robot.set(role: "deployer", of: nick, to: true)
        #expect(
            await irc.hears("who has deployer role?", from: "root")
                == ["deployer: ada (also xmpp:\(Self.address))."])
        #expect(await irc.hears("who has deployer role?", from: "ada") == ["deployer: ada."])
        // Somebody else has the name now.
        let stranger = User(id: address.id, name: "ada", isAnonymous: true)
        try await robot.robot.set(role: "deployer", of: stranger, to: false)
        #expect(robot.robot.roles(of: nick) == [])

        let refusal = ["xmpp:\(Self.address) isn't linked with this account."]
        #expect(await irc.hears("unlink xmpp:\(Self.address)", from: "mallory") == refusal)
        #expect(
            await irc.hears("unlink xmpp:\(Self.address)", from: "root")
                == ["OK, xmpp:\(Self.address) is no longer linked."])
        #expect(robot.robot.accounts(of: nick) == [nick])
        #expect(await irc.hears("unlink", from: "ada", isAnonymous: true).first?.hasPrefix("I can't verify") == true)
    }

    @Test func `an admin's other account is an admin, but doesn't own the robot`() async {
        let code = await offer(from: "root", to: "root@example.org")
        _ = await xmpp.hears("link irc:root \(code)", from: "root@example.org")
        _ = await xmpp.hears("yes", from: "root@example.org")
        let address = user("xmpp", "root@example.org")
        #expect(robot.robot.isAdmin(address) && !robot.robot.isOwner(address))
    }

    @Test func `a person is seen with all accounts, under the name that was asked for`() async {
        await link()
        _ = await irc.hears("hello", from: "ada", in: "#dev")
        _ = await robot.advance(by: .minutes(5))
        _ = await xmpp.hears("hello", from: Self.address, in: "dev@x")
        let seen = [
            "I last saw ada on xmpp at 00:05, but not here.", "I last saw ada on irc at 00:00, but not here."
        ]
        #expect(await robot.hears("hubot seen ada") == [.text(seen.joined(separator: "\n"))])
        _ = await robot.advance(by: .minutes(5))
        #expect(await robot.hears("hubot seen ada") == [.text(seen.joined(separator: "\n"))])
    }

    @Test func `a person has the same points under each name, and can't give them to the other one`() async {
        await link()
        let room = "dev@x"
        xmpp.setMembers([Self.address, "bob@example.org"], of: room)
        #expect(
            await xmpp.hears("\"\(Self.address)\"++", from: "bob@example.org", in: room) == ["ada now has 1."])
        #expect(await irc.hears("hubot score ada", from: "bob", in: "#dev") == ["ada has 1."])
        #expect(
            await xmpp.hears("hubot score \(Self.address)", from: "bob@example.org", in: room) == ["ada has 1."])
        let refusal = ["You can't give points to yourself."]
        #expect(await xmpp.hears("ada++", from: Self.address, in: room) == refusal)
        #expect(await irc.hears("ada++", from: "ada", in: "#dev") == refusal)
        #expect(await xmpp.hears("\"\(Self.address)\"++", from: Self.address, in: room) == refusal)
    }

    private let scores = BrainCollection<Int>("plusplus.scores")

    @Test func `earlier points are moved to the name that counts, with their reasons, and stay there`() async throws {
        _ = await robot.hears("hello")
        let reasons = BrainCollection<[String: Int]>("plusplus.reasons")
        try await brain.remember(scores, "ada", 2)
        try await brain.remember(reasons, "ada", ["the tests": 2])
        try await brain.remember(scores, Self.address, 3)
        try await brain.remember(reasons, Self.address, ["The Tests": 1, "tea": 2])
        let code = await offer()
        _ = await xmpp.hears("link irc:ada \(code)", from: Self.address)
        #expect(
            await xmpp.hears("yes", from: Self.address).last == "The points of \(Self.address) count for ada now.")
        #expect(try await brain.recall(scores, "ada") == 5)
        #expect(try await brain.recall(reasons, "ada") == ["the tests": 3, "tea": 2])
        #expect(try await brain.recall(scores, Self.address) == nil)
        #expect(try await brain.recall(reasons, Self.address) == nil)
        _ = await irc.hears("unlink", from: "ada")
        #expect(try await brain.recall(scores, "ada") == 5)
        #expect(try await brain.recall(scores, Self.address) == nil)
    }

    @Test func `points for a name that somebody else has aren't moved`() async throws {
        _ = await robot.hears("hello")
        try await brain.remember(scores, Self.address, 3)
        try await robot.robot.set(role: "friend", of: user("irc", "other", called: Self.address), to: true)
        await link()
        #expect(try await brain.recall(scores, Self.address) == 3)
        #expect(try await brain.recall(scores, "ada") == nil)
    }

    @Test func `two links at the same time don't move points twice`() async throws {
        _ = await robot.hears("hello")
        let (owner, taker, bot) = (user("irc", "ada"), user("xmpp", "swift"), robot.robot)
        for round in 1...20 {
            try await brain.remember(scores, "swift", 1)
            async let first = PlusPlus.moveScore(of: [taker], to: [owner], bot)
            async let second = PlusPlus.moveScore(of: [taker], to: [owner], bot)
            _ = try await (first, second)
            #expect(try await brain.recall(scores, "ada") == round)
            #expect(try await brain.recall(scores, "swift") == nil)
        }
    }

    @Test func `points for a nick that isn't the account's name aren't moved`() async throws {
        _ = await robot.hears("hello")
        try await brain.remember(scores, "swift", 3)
        let (owner, taker) = (user("irc", "ada"), user("xmpp", Self.address, called: "swift"))
        let moved = try await PlusPlus.moveScore(of: [taker], to: [owner], robot.robot)
        #expect(moved?.to == nil)
        #expect(try await brain.recall(scores, "swift") == 3)
    }

    @Test func `links survive a restart, and scripts find the person in one place`() async throws {
        await link()
        let (nick, address) = (user("irc", "ada"), user("xmpp", Self.address))
        let next = TestRobot(name: "hubot", brain: brain, networks: [PrivateNetwork("irc")], Accounts())
        _ = await next.hears("hello")
        #expect(next.robot.accounts(of: address).map(\.id) == [address.id, nick.id])
        #expect(try await PersonalAccounts(brain: brain).all(of: address).map(\.id) == [address.id, nick.id])
        let stranger = User(id: address.id, name: "ada", isAnonymous: true)
        #expect(try await PersonalAccounts(brain: brain).all(of: stranger).count == 1)
    }
}
