import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

/// Observers see every message, and handle none.
@Suite(.timeLimit(.minutes(15))) struct ObserverTests {
    /// A script that notes what it observes, and does something about some messages.
    private final class Watcher: Script {
        let name = "Watcher"
        private let noted = Mutex<[String]>([])

        func register(on robot: inout RobotBuilder) {
            robot.observe { message, robot in
                self.noted.withLock { $0.append("\(message.user.name) \(Self.word(for: message))") }
                guard message.text == "act" || message.text == "fail" else { return nil }
                return {
                    if message.text == "fail" { throw Refusal("it broke") }
                    try await robot.messageRoom(message.room.id, "acted")
                }
            }
        }

        /// Removes and returns what was noted.
        func takeNoted() -> [String] {
            noted.withLock { noted in
                defer { noted = [] }
                return noted
            }
        }

        private static func word(for message: Message) -> String {
            switch message.content {
            case .text(let text): text
            case .enter: "enters"
            case .leave: "leaves"
            case .topic: "changes the topic"
            case .reaction: "reacts"
            case .retraction: "retracts"
            case .profile: "changes the profile"
            }
        }
    }

    private let watcher = Watcher()

    private func makeRobot() -> TestRobot {
        let answers = InlineScript("Answers") { robot in
            robot.respond(/ping/) { try await $0.send("pong") }
            robot.catchAll(onlyAddressed: true) { try await $0.send("unknown") }
        }
        return TestRobot(name: "hubot", admins: ["root"], watcher, answers)
    }

    @Test func `every kind of message is observed, and handled as without an observer`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hello") == [])
        #expect(await robot.hears("hubot ping") == [.text("pong")])
        #expect(await robot.hears("hubot what") == [.text("unknown")])
        #expect(await robot.enters("ada") == [])
        #expect(await robot.leaves("ada") == [])
        #expect(await robot.sees(topic: "tea") == [])
        #expect(await robot.renames("bob", to: "ada") == [])
        #expect(
            watcher.takeNoted() == [
                "alice hello", "alice hubot ping", "alice hubot what", "ada enters", "ada leaves",
                "alice changes the topic", "ada changes the profile"
            ])
    }

    @Test func `what an observer returns is done before the message counts as handled`() async {
        let robot = makeRobot()
        for _ in 0..<20 { #expect(await robot.hears("act") == [.text("acted")]) }
    }

    @Test func `a failure is logged with the script, and the message is handled`() async {
        let robot = makeRobot()
        #expect(await robot.hears("fail") == [])
        #expect(robot.loggedProblems.count == 1)
        #expect(robot.loggedProblems.first?.contains("script=Watcher") == true)
    }

    @Test func `of work that doesn't end, at most 64 runs are under way, and one warning is logged`() async throws {
        let (release, begun) = (Signal(), StringRecorder())
        let (adapter, log) = (ManualAdapter(), TestLog())
        let slow = InlineScript("Slow") { robot in
            robot.observe { message, _ in
                {
                    begun.add(message.text ?? "")
                    await release.wait()
                }
            }
        }
        try await withRobot(adapters: [adapter], logger: log.logger, slow) { robot in
            for number in 1..<100 { await adapter.receive("\(number)") }
            // Its work is dropped, so it is over at once.
            await adapter.handle("100")
            while begun.all.count < 64 { await Task.yield() }
            release.set()
            await robot.inFlight.waitUntilIdle()
            #expect(begun.all.sorted() == (1...64).map(String.init).sorted())
            await adapter.handle("101")
            #expect(begun.all.last == "101")
        }
        #expect(log.lines(from: .warning).count { $0.contains("script=Slow") } == 1)
    }

    @Test func `messages of ignored users, and in rooms without the script, aren't observed`() async throws {
        let robot = makeRobot()
        _ = await robot.hears("hello")
        let mallory = User(id: User.ID(adapter: "test", value: "mallory"), name: "mallory")
        try await robot.robot.ignore(mallory)
        try await robot.robot.turn("Watcher", on: false, in: "test:#quiet")
        _ = watcher.takeNoted()
        _ = await robot.hears("hello", from: "mallory")
        _ = await robot.hears("hello", in: "#quiet")
        _ = await robot.hears("hello", in: "#loud")
        #expect(watcher.takeNoted() == ["alice hello"])
    }
}
