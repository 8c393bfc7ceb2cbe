import Heybot
import HeybotTesting
import StandardScripts
import TestServers
import Testing

/// Access to commands, changed from chat, and approvals.
@Suite struct AccessControlTests {
    private static func user(_ name: String) -> User {
        User(id: User.ID(adapter: "test", value: name), name: name)
    }

    private static let tea = InlineScript("Tea") {
        $0.respond(/make (\w+)/, help: "make <kind> - Make tea", allow: .admins) { try await $0.send("made") }
        $0.respond(/drink all/, help: "drink all - Drink it all") { try await $0.send("drunk") }
        $0.respond(/drink/, help: "drink - Drink tea") { try await $0.send("drunk") }
        $0.respond(/brew/, help: "brew ale - Brew ale\nbrew tea - Brew tea", approve: .by("host")) {
            try await $0.send("brewed")
        }
    }

    private static func robot() -> TestRobot {
        TestRobot(admins: ["root"], AccessControl(), Roles(), Help(), tea)
    }

    private func asks(_ robot: TestRobot, _ text: String, from user: String = "root", in room: String = "#test") async
        -> [String]
    {
        await robot.hears("heybot \(text)", from: user, in: room).map(\.content)
    }

    @Test func `an admin lets others use a command, in a room, and takes it back`() async throws {
        let robot = Self.robot()
        #expect(await asks(robot, "make tea", from: "ada") == ["Only my admins may use that."])
        #expect(await asks(robot, "access to make", from: "ada") == ["Access to \"make\": admins."])
        #expect(
            await asks(robot, "allow make for ops or host in here") == [
                "Access to \"make\": host or ops, in test:#test."
            ])
        #expect(await asks(robot, "make tea", from: "ada") == ["You need the host or the ops role for that."])
        try await robot.robot.set(role: "ops", of: Self.user("ada"), to: true)
        #expect(await asks(robot, "make tea", from: "ada") == ["made"])
        #expect(await asks(robot, "make tea", from: "ada", in: "#b") == ["You can use that only in test:#test."])
        #expect(
            await asks(robot, "who can use make?", from: "ada")
                == ["Access to \"make\": host or ops, in test:#test (changed by test:root)."])
        #expect(await asks(robot, "access changes") == ["\"make\" (Tea): host or ops, in test:#test, by test:root"])
        #expect(
            await asks(robot, "reset access to make") == ["Access to \"make\" is as the script says again: admins."])
        #expect(await asks(robot, "reset access to make") == ["Nobody has changed the access to \"make\"."])
        #expect(await asks(robot, "make tea", from: "ada") == ["Only my admins may use that."])
        #expect(await asks(robot, "access changes") == ["Every script decides itself: nothing was changed."])
    }

    @Test func `a whole script, everyone and admins`() async {
        let robot = Self.robot()
        #expect(await asks(robot, "allow tea for admins") == ["Access to all commands of Tea: admins."])
        #expect(await asks(robot, "drink", from: "ada") == ["Only my admins may use that."])
        #expect(
            await asks(robot, "allow Tea for everyone in #a and #b") == [
                "Access to all commands of Tea: everyone, in test:#a or test:#b."
            ])
        #expect(await asks(robot, "drink", from: "ada", in: "#b") == ["drunk"])
        #expect(await asks(robot, "drink", from: "ada", in: "#c") == ["You can use that only in test:#a or test:#b."])
    }

    @Test func `a command is found by its first words, and must be the only one`() async {
        let robot = Self.robot()
        #expect(await asks(robot, "access to drink") == ["Access to \"drink\": everyone."])
        #expect(
            await asks(robot, "access to brew") == [
                "Which one do you mean: \"brew ale\" (Tea), \"brew tea\" (Tea)? For all commands of a script, say the script's name."
            ])
        #expect(
            await asks(robot, "access to dance") == [
                "I have no command \"dance\". Say its first words, or its script's name; to list the scripts, say \"scripts\"."
            ])
        #expect(
            await asks(robot, "allow drink for in #a") == [
                "For whom? Name a role such as \"ops\", or say \"everyone\" or \"admins\"."
            ])
        #expect(await asks(robot, "allow drink for ops in") == ["In which room? Name at most 20."])
    }

    @Test func `commands that give rights are for the admins of the settings`() async throws {
        let robot = Self.robot()
        // The first message opens the brain.
        _ = await robot.hears("hi")
        try await robot.robot.set(role: "admin", of: Self.user("ada"), to: true)
        for command in [
            "allow allow for everyone", "allow Roles for everyone", "allow approve for ada", "reset access to roles"
        ] {
            let said = await asks(robot, command, from: "ada")
            #expect(
                said.first?.hasPrefix("Only the admins named in my settings (HEYBOT_AUTH_ADMIN)") == true, "\(said)")
        }
        #expect(await asks(robot, "allow drink for everyone", from: "bob") == ["Only my admins may use that."])
        #expect(await asks(robot, "allow Roles for ops") == ["Access to all commands of Roles: ops."])
    }

    @Test func `help says who may use a command, and hides it from others`() async throws {
        let robot = Self.robot()
        _ = await asks(robot, "allow drink all for host")
        #expect(
            await asks(robot, "help drink all", from: "ada")
                == ["No command matches \"drink all\". To list all, say \"Heybot help all\"."])
        try await robot.robot.set(role: "host", of: Self.user("ada"), to: true)
        #expect(
            await asks(robot, "help drink all", from: "ada") == [
                "Heybot drink all - Drink it all\nWho may use this command: admin or host."
            ])
        #expect(
            await asks(robot, "help brew ale").first?.hasSuffix("A second user with the host role must approve it.")
                == true)
    }

    @Test func `commands with one listener share their access, and the reply says so`() async {
        let robot = Self.robot()
        #expect(
            await asks(robot, "allow brew ale for ops") == [
                "Access to \"brew ale\": ops. This also holds for \"brew tea\"."
            ])
        #expect(
            await asks(robot, "allow brew tea for everyone")
                == ["Access to \"brew tea\": everyone. This also holds for \"brew ale\"."])
        #expect(await asks(robot, "access changes") == ["\"brew tea\" (Tea): everyone, by test:root"])
        #expect(
            await asks(robot, "allow tea for ops") == [
                "Access to all commands of Tea: ops. This doesn't hold for \"brew tea\", whose access was changed too."
            ])
        #expect(
            await asks(robot, "reset access to brew tea") == [
                "Access to \"brew tea\" is as the script says again: ops."
            ])
        _ = await asks(robot, "allow drink for everyone")
        #expect(
            await asks(robot, "access to Tea", from: "bob").first?.hasPrefix(
                "Access to all commands of Tea: it differs by command (everyone; ops) (changed by test:root)") == true)
    }

    @Test func `a rule for a command that is gone is warned of at the start, and can be removed`() async {
        let brain = Brain(store: MemoryStore())
        let before = TestRobot(admins: ["root"], brain: brain, AccessControl(), Roles(), Self.tea)
        _ = await asks(before, "allow make for ops")
        _ = await asks(before, "allow Roles for ops")

        let after = TestRobot(admins: ["root"], brain: brain, AccessControl())
        _ = await after.hears("hi")
        #expect(after.loggedProblems.count == 1, "\(after.loggedProblems)")
        let warning = after.loggedProblems.first ?? ""
        #expect(warning.contains("don't exist: \"make\" of Tea, all commands of Roles; "), "\(warning)")
        #expect(await asks(after, "reset access to make", from: "ada") == ["Only my admins may use that."])
        #expect(
            await asks(after, "reset access to make") == [
                "I've removed the rule for \"make\" of Tea, which I don't have any more."
            ])
        #expect(
            await asks(after, "reset access to roles") == [
                "I've removed the rule for all commands of Roles, which I don't have any more."
            ])
        #expect(await asks(after, "access changes") == ["Every script decides itself: nothing was changed."])
        #expect(await asks(after, "reset access to make").first?.hasPrefix("I have no command \"make\".") == true)
        #expect(before.loggedProblems == [])
    }

    @Test func `a second user approves or denies`() async throws {
        let robot = Self.robot()
        #expect(await asks(robot, "approvals") == ["Nothing waits for your approval."])
        #expect(await asks(robot, "approve") == ["Nothing waits for your approval."])
        try await robot.robot.set(role: "host", of: Self.user("grace"), to: true)
        #expect(await asks(robot, "brew tea", from: "ada").count == 1)
        #expect(await asks(robot, "brew ale", from: "ada").count == 1)
        let numbers = robot.robot.pendingApprovals.map(\.id)
        let (tea, ale) = (try #require(numbers.first), try #require(numbers.last))
        for user in ["grace", "ada", "root"] {
            #expect(
                await asks(robot, "approvals", from: user) == [
                    "\(tea): ada in #test: brew tea (needs host)\n\(ale): ada in #test: brew ale (needs host)"
                ])
        }
        #expect(await asks(robot, "approvals", from: "bob") == ["Nothing waits for your approval."])
        #expect(await asks(robot, "approve", from: "grace") == ["Which one? To list what waits, say \"approvals\"."])
        #expect(await asks(robot, "approve \(tea)", from: "bob") == ["You need the host role for that."])
        #expect(await asks(robot, "approve \(tea)", from: "ada") == ["Somebody else must approve that."])
        let said = await asks(robot, "approve #\(tea)", from: "grace")
        #expect(said.contains("You've approved ada's command: brew tea"))
        try await wait(for: "the tea") { robot.lines.contains { $0.utterance.content == "brewed" } }
        // Without a number, the user sees first what it is.
        #expect(
            await asks(robot, "approve", from: "grace")
                == ["ada wants: brew ale. To approve it, say \"approve \(ale)\"."])
        #expect(await asks(robot, "deny", from: "grace").contains("You've denied ada's command: brew ale"))
        try await wait(for: "the denial") {
            robot.lines.contains { $0.utterance.content == "grace has denied brew ale." }
        }
        #expect(
            await asks(robot, "approve \(ale)", from: "grace")
                == ["Nothing with that number waits for approval. To list what does, say \"approvals\"."])
        #expect(await asks(robot, "brew ale", from: "ada").count == 1)
        #expect(await asks(robot, "deny", from: "ada").contains("You've withdrawn your command: brew ale"))
        #expect(robot.lines.count { $0.utterance.content == "brewed" } == 1)
    }
}
