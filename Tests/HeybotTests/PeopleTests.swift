import FoundationEssentials
import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct PeopleTests {
    private struct Echo: Script {
        func register(on robot: inout RobotBuilder) {
            robot.hear(/hi/) { try await $0.send("hi") }
            robot.respond(/secret/, allow: .admins) { try await $0.send("42") }
        }
    }

    private static func user(_ name: String, isAnonymous: Bool = false) -> User {
        User(id: User.ID(adapter: "test", value: name), name: name, isAnonymous: isAnonymous)
    }

    private static let room = Room(id: Room.ID(adapter: "test", value: "#test"))

    private let ada = user("ada")
    private let root = user("root")

    // MARK: Roles

    @Test func `the role admin allows commands for admins`() async throws {
        let test = TestRobot(name: "hubot", admins: ["root"], Echo())
        #expect(await test.hears("hubot secret", from: "ada") == [.reply("Only my admins may use that.")])
        #expect(try await test.robot.set(role: "Admin", of: ada, to: true))
        #expect(try await !test.robot.set(role: "admin", of: ada, to: true))
        #expect(await test.hears("hubot secret", from: "ada") == [.text("42")])
        #expect(test.robot.roles(of: ada) == ["admin"] && !test.robot.isOwner(ada))
        #expect(test.robot.roles(of: root) == ["admin"] && test.robot.isOwner(root))
        #expect(try await test.robot.set(role: "admin", of: ada, to: false))
        #expect(await test.hears("hubot secret", from: "ada") == [.reply("Only my admins may use that.")])
        #expect(test.robot.rolesAndIgnoredUsers == [])
    }

    @Test func `an unauthenticated user has no rights, whatever the id or the brain says`() async throws {
        let test = TestRobot(name: "hubot", admins: ["root"], Echo())
        _ = await test.hears("hi")
        try await test.robot.set(role: "admin", of: ada, to: true)
        try await test.robot.set(role: "deployer", of: ada, to: true)
        for name in ["root", "ada"] {
            let somebody = Self.user(name, isAnonymous: true)
            #expect(!test.robot.isOwner(somebody) && !test.robot.isAdmin(somebody))
            #expect(test.robot.roles(of: somebody) == [])
        }
        // Ignored users get no answer.
        #expect(try await test.robot.ignore(Self.user("root", isAnonymous: true)))
        #expect(test.robot.ignores(Self.user("root", isAnonymous: true)) && !test.robot.ignores(root))
    }

    @Test func `an admin is resolved by the adapter, and an invalid name is reported`() async {
        func robot(_ admins: Set<String>, _ adapters: [any Adapter]) -> Robot {
            Robot(adapters: adapters, brain: Brain(store: MemoryStore()), scripts: [Echo()], admins: admins)
        }
        let (irc, other) = (PickyAdapter(name: "irc"), PickyAdapter(name: "other"))
        #expect(robot(["irc:ADA"], [irc, other]).isOwner(User(id: User.ID(adapter: "irc", value: "ada"), name: "x")))
        #expect(robot(["ADA"], [irc]).isOwner(User(id: User.ID(adapter: "irc", value: "ada"), name: "x")))
        #expect(!robot(["ADA"], [irc]).isOwner(User(id: User.ID(adapter: "irc", value: "ADA"), name: "x")))
        #expect(throws: RobotError.misconfigured(["the admin irc:a b is invalid: there is a space in it"])) {
            try robot(["irc:a b"], [irc, other]).check()
        }
        #expect(
            throws: RobotError.misconfigured([
                "the admin slak:ada is invalid: there is no adapter slak; put the adapter's name first, as in irc:ada"
            ])
        ) { try robot(["slak:ada"], [irc, other]).check() }
    }

    @Test func `descriptions are persistent`() async throws {
        let brain = Brain(store: MemoryStore())
        let first = TestRobot(brain: brain, Echo())
        _ = await first.hears("hi")
        try await first.robot.set(role: "deployer", of: ada, to: true)
        try await first.robot.ignore(root)
        let second = TestRobot(brain: brain, Echo())
        #expect(await second.hears("hi", from: "root") == [])
        #expect(await second.hears("hi", from: "ada") == [.text("hi")])
        #expect(second.robot.roles(of: ada) == ["deployer"])
        #expect(second.robot.rolesAndIgnoredUsers.map(\.user.name) == ["ada", "root"])
    }

    @Test func `an anonymous user who probably is an ignored one is ignored`() async throws {
        let test = TestRobot(Echo())
        _ = await test.hears("hi")
        try await test.robot.ignore(ada)
        func message(_ origin: String, isAnonymous: Bool) -> Message {
            Message(
                id: Message.ID(adapter: ada.id.adapter, value: "1"),
                user: Self.user("somebody", isAnonymous: isAnonymous),
                room: Room(id: Room.ID(adapter: ada.id.adapter, value: "r"), name: "r"), content: .text("hi"),
                origin: origin)
        }
        let users = test.robot.users
        #expect(users.ignores(senderOf: message(ada.id.value, isAnonymous: true)))
        #expect(!users.ignores(senderOf: message("other", isAnonymous: true)))
    }

    @Test func `ids that look alike are two people's, in the brain too`() async throws {
        let brain = Brain(store: MemoryStore())
        let first = TestRobot(brain: brain, Echo())
        _ = await first.hears("hi")
        let (one, other) = (Self.user("zo\u{eb}"), Self.user("zoe\u{308}"))
        try await first.robot.set(role: "deployer", of: one, to: true)
        try await first.robot.ignore(other)
        let second = TestRobot(brain: brain, Echo())
        _ = await second.hears("hi")
        #expect(second.robot.roles(of: one) == ["deployer"] && second.robot.roles(of: other) == [])
        #expect(!second.robot.ignores(one) && second.robot.ignores(other))
    }

    @Test func `robots that share a brain follow within half a minute`() async throws {
        let brain = Brain(store: MemoryStore())
        let (one, other) = (TestRobot(brain: brain, Echo()), TestRobot(brain: brain, Echo()))
        _ = await other.hears("hi")
        try await one.robot.ignore(ada)
        #expect(await other.hears("hi", from: "ada") == [.text("hi")])
        _ = await other.advance(by: .seconds(30))
        #expect(await other.hears("hi", from: "ada") == [])
    }

    @Test func `the number of known users is limited`() throws {
        var users = RolesAndIgnoredUsers()
        for number in 0..<RolesAndIgnoredUsers.most { #expect(try users.ignore(Self.user("\(number)"), true)) }
        #expect(throws: Refusal.self) { try users.ignore(Self.user("one more"), true) }
        #expect(try users.set("x", of: Self.user("7"), to: true))
        #expect(try users.ignore(Self.user("7"), false))
        #expect(users.people.count == RolesAndIgnoredUsers.most)
        #expect(try users.set("x", of: Self.user("7"), to: false))
        #expect(try users.ignore(Self.user("one more"), true))
    }

    // MARK: Ignoring

    @Test func `an ignored user gets no answer, an admin of the settings always does`() async throws {
        let test = TestRobot(admins: ["root"], Echo())
        #expect(await test.hears("hi", from: "ada") == [.text("hi")])
        #expect(try await test.robot.ignore(ada))
        #expect(try await !test.robot.ignore(ada))
        #expect(await test.hears("hi", from: "ada") == [])
        #expect(await test.hears("hi", from: "bob") == [.text("hi")])
        #expect(try await test.robot.ignore(ada, false))
        #expect(await test.hears("hi", from: "ada") == [.text("hi")])
        await #expect(throws: Refusal("root is one of my admins, so I can't ignore them.")) {
            try await test.robot.ignore(root)
        }
        #expect(await test.hears("hi", from: "root") == [.text("hi")])
    }

    // MARK: Who is there

    @Test func `those it answered are known by their names, or how they begin`() async {
        let test = TestRobot(Echo())
        for name in ["ada", "adam", "bob"] { _ = await test.hears("hi", from: name) }
        _ = await test.hears("not for it", from: "carol")
        func names(_ name: String) async -> [String] { await test.robot.users(named: name, in: Self.room).map(\.name) }
        #expect(await test.robot.users(in: Self.room).map(\.name) == ["ada", "adam", "bob"])
        #expect(await names("ADA") == ["ada"])
        #expect(await names("@bob") == ["bob"])
        #expect(await names("ad") == ["ada", "adam"])
        #expect(await names("bo") == ["bob"])
        #expect(await names("carol") == [])
        #expect(await names("") == [])
        #expect(await names("@") == [])
    }

    @Test func `users come from the adapter, without those of another network`() async throws {
        let adapter = CrowdedAdapter([
            Self.user("ada"), User(id: User.ID(adapter: "test", value: "!bob"), name: "bob", isAnonymous: true),
            User(id: User.ID(adapter: "test", value: "bob"), name: "bob")
        ])
        let robot = Robot(adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [Echo()])
        try await robot.openBrain()
        try await robot.set(role: "x", of: User(id: User.ID(adapter: "irc", value: "zoe"), name: "zoe"), to: true)
        try await robot.set(role: "x", of: Self.user("yan"), to: true)
        #expect(await robot.users(in: Self.room).map(\.id.value) == ["ada", "!bob", "bob", "yan"])
        // The user who is known for certain is meant.
        #expect(await robot.users(named: "bob", in: Self.room).map(\.id.value) == ["bob"])
        await robot.brain.close()
    }

    @Test func `of very many the latest are known`() {
        let recent = RecentUsers(most: 10)
        for number in 0..<1_000 {
            recent.record(Self.user("\(number)"))
            recent.record(ada)
        }
        let names = Set(recent.all.map(\.name))
        #expect(names.isSuperset(of: ["ada", "999", "998", "997"]))
        #expect(names.count <= 10)
    }
}

/// An adapter that knows who is in its rooms.
private struct CrowdedAdapter: MemberListing {
    let name = "test"
    private let users: [User]

    init(_ users: [User]) { self.users = users }

    var status: AdapterStatus { .up(since: .distantPast) }
    func users(in room: Room) async -> [User] { users }
    func run(_ inbox: Inbox) async throws {}
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}

/// An adapter whose users' ids are in lower case.
private struct PickyAdapter: ConfiguredUserRecognition {
    private struct Space: Error, CustomStringConvertible { var description: String { "there is a space in it" } }

    let name: String
    var status: AdapterStatus { .up(since: .distantPast) }

    func userID(named name: String) throws -> String {
        if name.contains(" ") { throw Space() }
        return name.lowercased()
    }

    func run(_ inbox: Inbox) async throws {}
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}
