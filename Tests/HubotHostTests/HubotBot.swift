import Foundation
import Heybot
import HeybotTesting
import Logging
import TestServers

@testable import HubotHost

/// A robot with Hubot scripts, in a real Node process.
struct HubotBot {
    let host: HubotHost
    let robot: TestRobot
    /// The clock of the host, for pings and restarts; the robot has another one.
    let clock = ManualClock()
    let log = TestLog()
    private let folder: ScratchFolder
    private let ending: Ending

    /// Kills the process, which would otherwise run as long as the tests, if in an endless loop on a processor of its own.
    private final class Ending: Sendable {
        let host: HubotHost

        init(_ host: HubotHost) { self.host = host }

        deinit { host.latest.state.withLock { $0.outbox }?.kill() }
    }

    /// Starts a robot.
    ///
    /// - Parameters:
    ///   - scripts: The texts of the scripts by name.
    ///   - others: Scripts in Swift, which come first.
    ///   - later: Scripts in Swift, which come last.
    ///   - networks: Further adapters.
    ///   - withheld: The environment variables that the scripts don't get.
    init(
        _ scripts: [String: String], brain: Brain = Brain(store: MemoryStore()), limits: Robot.Limits = Robot.Limits(),
        others: [any Script] = [], later: [any Script] = [], networks: [any Adapter] = [], memory: Int = 256,
        withheld: Set<String> = []
    ) async throws {
        folder = try ScratchFolder()
        try folder.makeFolder("scripts")
        for (name, text) in scripts { try folder.write(text, to: "scripts/\(name)") }
        var files = HubotFiles(in: folder.path)
        try files.add(path: "scripts")
        let node = try await NodeProgram.find(nil, environment: ProcessInfo.processInfo.environment)
        let start = RobotMessage.Start(
            name: "Hubot", alias: nil, version: heybotVersion, adapters: ["test"] + networks.map(\.name),
            logLevel: "debug", loadTime: 600_000, scripts: files.scripts, external: files.external, modules: [],
            cache: folder.path("compiled"), brain: true)
        var configuration = HubotHost.Configuration(
            start: start, node: node.path, program: try HubotProgram.install(in: folder.path("program")),
            folder: folder.path)
        configuration.nodeOptions = ["--max-old-space-size=\(memory)"]
        configuration.withheldVariables = withheld
        host = HubotHost(
            configuration, logger: log.logger, timeSource: TimeSource(clock, date: { .now }),
            findFiles: { [folder] in
                var files = HubotFiles(in: folder.path)
                try files.add(path: "scripts")
                return files
            })
        ending = Ending(host)
        robot = TestRobot(
            name: "Hubot", admins: ["test:root"], brain: brain, limits: limits, networks: networks,
            others + (await host.load()) + later)
    }

    /// Says something, and returns the texts that the robot sends to that room until the listeners are over.
    func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears(text, from: user, in: room).map(\.content)
    }

    /// Writes a script, or removes it if the text is nil.
    func change(_ name: String, _ text: String?) throws {
        if let text {
            try folder.write(text, to: "scripts/\(name)")
        } else {
            try FileManager.default.removeItem(atPath: folder.path("scripts/\(name)"))
        }
    }

    /// Waits until the robot has sent a text, in any room.
    func waitForText(_ text: String) async throws {
        try await wait(for: "\(text); there is \(robot.lines.map(\.utterance.content))") {
            robot.lines.contains { $0.utterance.content == text }
        }
    }

    /// Waits until the log has a line with a text.
    func waitForLog(_ text: String) async throws {
        try await wait(for: "\(text) in the log; there is \(log.lines())") {
            log.lines().contains { $0.contains(text) }
        }
    }

    /// Waits until the process answers questions.
    func waitUntilRunning() async throws {
        try await wait(for: "the process; the log is \(log.lines())") { host.isRunning }
    }

    /// Kills the process as `kill -9` does, and lets the time until the next one pass.
    func killProcess(_ pid: Int32) async throws {
        kill(pid, SIGKILL)
        try await wait(for: "the end of the process") { !host.isRunning }
        try await restart()
    }

    /// Lets the time until the next process pass.
    func restart() async throws {
        try await wait(for: "another process; the log is \(log.lines())") {
            pass(.milliseconds(10))
            return host.isRunning
        }
    }

    /// Lets time pass, but none while a process loads the scripts or is to answer a ping, which takes long on a busy machine.
    func pass(_ time: Duration) {
        for driver in [host.latest, host.next].compactMap({ $0 }) {
            let isAwaited = driver.state.withLock { state in
                if case .loading = state.session.phase { return true }
                return state.session.ping != nil
            }
            if isAwaited { return }
        }
        clock.advance(by: time)
    }

    /// The process's number, which a script says.
    func processID() async throws -> Int32 {
        let answer = await says("hubot pid").first ?? ""
        guard let number = Int32(answer) else { throw TestServerError.failed("no process: \(answer); \(log.lines())") }
        return number
    }

    /// A script that says the process's number.
    static let pid = "module.exports = (robot) => { robot.respond(/pid$/, (res) => res.send(String(process.pid))) }"
}
