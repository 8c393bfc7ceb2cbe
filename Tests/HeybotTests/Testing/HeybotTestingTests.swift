import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@Suite(.timeLimit(.minutes(15))) struct HeybotTestingTests {
    @Test(arguments: StoreConformanceTest.singleConnection) func `the store in memory conforms`(
        _ law: StoreConformanceTest
    ) async throws {
        try await law.check { MemoryStore() }
    }

    #if os(Linux)
        /// In a process of its own, because the robots of other tests have threads too.
        @Test func `a robot that is released ends, with its threads`() async throws {
            await #expect(processExitsWith: .success) {
                func threads() throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
                }
                weak var robot: Robot?
                let before = try threads()
                for _ in 0..<200 {
                    let test = TestRobot(InlineScript("Echo") { $0.hear(/hi/) { try await $0.send("hi") } })
                    robot = test.robot
                    #expect(await test.hears("hi") == [.text("hi")])
                }
                // The pool of Swift concurrency has started threads meanwhile.
                try await wait(for: "fewer threads than \((try? threads()) ?? 0), where there were \(before)") {
                    try robot == nil && threads() < before + 20
                }
            }
        }
    #endif

    @Test func `a store that doesn't conform fails every test`() async {
        struct Forgetful: Store {
            func open() async throws {}
            func close() async {}
            func value(for key: StoreKey) async throws -> [UInt8]? { nil }
            func set(_ value: [UInt8]?, for key: StoreKey) async throws {}
            func compareAndSet(_: [UInt8]?, for: StoreKey, expecting: [UInt8]?) async throws -> Bool { true }
            func page(of: String?, after: String?, limit: Int) async throws -> StorePage {
                .init(entries: [], next: nil)
            }
            func collections(after: String?, limit: Int) async throws -> (names: [String], next: String?) { ([], nil) }
        }
        for law in StoreConformanceTest.all {
            await #expect(throws: StoreConformanceTest.Violation.self) { try await law.check { Forgetful() } }
        }
    }

    @Test func `the clock only moves if it is advanced, and resumes the tasks that are due`() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        let late = Task { try await clock.sleep(for: .seconds(50)) }
        while clock.now.offset < .seconds(6) {
            await Task.yield()
            clock.advance(by: .milliseconds(100))
        }
        try await sleeper.value
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        try await clock.sleep(for: .zero)
    }

    @Test func `random numbers are the same for the same seed`() {
        var (one, same, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), SeededGenerator(seed: 2))
        let numbers = (0..<5).map { _ in one.next() }
        #expect((0..<5).map { _ in same.next() } == numbers)
        #expect((0..<5).map { _ in other.next() } != numbers)
    }

    @Test func `a robot that can't start logs the reason`() async {
        struct Twin: Script { func register(on robot: inout RobotBuilder) {} }
        let robot = TestRobot(Twin(), Twin())
        #expect(await robot.hears("anybody there?") == [])
        #expect(
            robot.loggedProblems == ["the robot can't start: two scripts are named Twin: script names must be unique"])
    }

    @Test func `messages are recorded by room`() async {
        struct Echo: Script {
            func register(on robot: inout RobotBuilder) {
                robot.respond(/(.*)/) { res in
                    try await res.send(String(res.match.1))
                    try await res.robot.messageRoom("#log", "echoed")
                }
            }
        }
        let robot = TestRobot(Echo())
        #expect(await robot.hears("one", from: "bob", in: "bob") == [.text("one")])
        #expect(await robot.hears("heybot two") == [.text("two")])
        #expect(robot.said(in: "#log") == [.text("echoed"), .text("echoed")])
        #expect(robot.lines.map(\.room) == ["bob", "#log", "#test", "#log"])
    }
}
