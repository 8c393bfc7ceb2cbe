import FoundationEssentials
import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct LinkedAccountsTests {
    private func user(_ id: String) -> User { User(id: User.ID(adapter: "test", value: id), name: id) }

    private func names(_ id: String, _ accounts: LinkedAccounts) -> [String] {
        accounts.accounts(of: user(id).id).map(\.name)
    }

    @Test func `people are joined, and accounts are taken out again`() throws {
        var accounts = LinkedAccounts()
        let areNew = try [("a", "b"), ("c", "d"), ("e", "f"), ("b", "c"), ("d", "a")].map { one, other in
            try accounts.link(user(one), user(other))
        }
        #expect(areNew == [true, true, true, true, false])
        #expect(names("d", accounts) == ["a", "b", "c", "d"])
        #expect(names("f", accounts) == ["e", "f"])
        #expect(names("g", accounts) == [])

        let stored = try JSONDecoder().decode(LinkedAccounts.self, from: JSONEncoder().encode(accounts))
        #expect(stored == accounts)
        let areGone = ["b", "f", "f"].map { accounts.unlink(user($0).id) }
        #expect(areGone == [true, true, false])
        #expect(names("a", accounts) == ["a", "c", "d"])
        #expect(names("e", accounts) == [])
    }

    @Test func `a person has eight accounts at most`() throws {
        var accounts = LinkedAccounts()
        for number in 1..<8 { _ = try accounts.link(user("0"), user("\(number)")) }
        var isRefused = false
        do { _ = try accounts.link(user("0"), user("8")) } catch { isRefused = true }
        #expect(isRefused && names("0", accounts).count == 8)
    }

    @Test func `an anonymous user has one account, and can't link it`() async throws {
        let robot = TestRobot(name: "hubot")
        _ = await robot.hears("hello")
        #expect(try await robot.robot.link(user("ada"), to: user("lovelace")))
        #expect(try await !robot.robot.link(user("lovelace"), to: user("ada")))
        let stranger = User(id: user("ada").id, name: "ada", isAnonymous: true)
        #expect(robot.robot.accounts(of: stranger) == [stranger])
        await #expect(throws: Refusal.self) { try await robot.robot.link(stranger, to: user("mallory")) }
    }

    @Test func `an ignored user is ignored with all accounts`() async throws {
        let robot = TestRobot(name: "hubot")
        _ = await robot.hears("hello")
        let (ada, lovelace) = (user("ada"), user("lovelace"))
        _ = try await robot.robot.link(ada, to: lovelace)
        // Somebody else who has the name isn't the person.
        try await robot.robot.ignore(User(id: ada.id, name: "ada", isAnonymous: true))
        #expect(!robot.robot.ignores(lovelace))
        try await robot.robot.ignore(ada)
        #expect(robot.robot.ignores(ada) && robot.robot.ignores(lovelace))
        try await robot.robot.ignore(lovelace, false)
        #expect(!robot.robot.ignores(ada) && !robot.robot.ignores(lovelace))
    }

    @Test func `nobody approves their own command with another account`() async throws {
        let script = InlineScript { robot in
            robot.respond(/launch/, approve: .by("captain")) { try await $0.send("launched") }
        }
        let robot = TestRobot(name: "hubot", script)
        _ = await robot.hears("hello")
        for name in ["ada", "lovelace"] { try await robot.robot.set(role: "captain", of: user(name), to: true) }
        _ = try await robot.robot.link(user("ada"), to: user("lovelace"))
        _ = await robot.hears("hubot launch", from: "ada")
        let number = try #require(robot.robot.pendingApprovals.first).id
        #expect(throws: Refusal("Somebody else must approve that.")) {
            try robot.robot.decide(number, approves: true, by: user("lovelace"))
        }
        #expect(robot.robot.pendingApprovals.count == 1)
    }
}
