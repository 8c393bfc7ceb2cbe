import Foundation
import GatewayHost
import Heybot
import HeybotTesting
import Logging
import RedisLink
import RedisStore
import TestServers

/// Gateways and workers of a robot that are linked by a Redis.
struct LinkedRobots: Sendable {
    let server: RedisServer
    /// The URL of the Redis; nil for that of the server.
    var url: String?
    private let limits: LinkLimits

    /// A process of the robot.
    struct Member: Sendable {
        let robot: Robot
        let running: Task<Void, any Error>

        func stop() async throws {
            robot.stop()
            try await running.value
        }
    }

    private static let silent = Logger(label: "link") { _ in SwiftLogNoOpLogHandler() }

    /// The configuration for a port of a Redis.
    static func configuration(port: Int) throws -> RedisStore.Configuration {
        try configuration("redis://127.0.0.1:\(port)")
    }

    /// The configuration for a URL.
    static func configuration(_ url: String) throws -> RedisStore.Configuration {
        var configuration = RedisStore.Configuration(try RedisAddress(url))
        configuration.warnsOfDataLoss = false
        configuration.callTimeout = .seconds(3)
        configuration.reconnect = .init(first: .milliseconds(5), longest: .milliseconds(50), stable: .seconds(1))
        return configuration
    }

    private func configuration(_ port: Int?) throws -> RedisStore.Configuration {
        if port == nil, let url { return try Self.configuration(url) }
        return try Self.configuration(port: port ?? server.port)
    }

    /// Starts a gateway; returns when it has its adapter.
    ///
    /// - Parameter port: That of a proxy; nil for the Redis itself.
    func gateway(_ adapter: ChatAdapter, port: Int? = nil) async throws -> Member {
        let gateway = RedisGateway(
            try configuration(port), limits: limits, logger: Self.silent)
        try await gateway.open(for: "Heybot", adapters: [adapter.name])
        return run(
            Robot(
                name: "Heybot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [gateway.script],
                logger: Self.silent))
    }

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - port: That of a proxy; nil for the Redis itself.
    ///   - deadline: How long a closure, or a notice of the robot, may take.
    func worker(
        _ script: any Script, port: Int? = nil, deadline: Duration = .seconds(30)
    ) async throws -> (Member, RedisWorker) {
        var robotLimits = Robot.Limits()
        robotLimits.deadline = deadline
        // One user says everything: on a busy machine, what waits for longer than a second would be dropped.
        robotLimits.waitingPerPerson = limits.window
        let worker = RedisWorker(
            try configuration(port), limits: limits, logger: Self.silent)
        try await worker.open(for: "Heybot")
        let member = run(
            Robot(
                name: "Heybot", adapters: [worker.standIn(for: ChatAdapter())],
                brain: Brain(store: MemoryStore()),
                scripts: [script, worker.script], limits: robotLimits, logger: Self.silent))
        return (member, worker)
    }

    private func run(_ robot: Robot) -> Member { Member(robot: robot, running: Task { try await robot.run() }) }

    /// The number of messages that aren't done.
    func openMessages() async throws -> Int {
        var count = 0
        for partition in 0..<32 {
            count += Int(try await server.command("XLEN", "heybot:link:in:\(partition)").trimmed) ?? 0
        }
        return count
    }

    /// Waits until something in Redis is as expected.
    func wait(until condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Runs `body` with a Redis.
    ///
    /// - Parameter leaseTime: After this time, what a silent process has goes to another one.
    static func with(
        leaseTime: Duration = .seconds(5), options: RedisServer.Options = .init(),
        _ body: (LinkedRobots) async throws -> Void
    ) async throws {
        var limits = LinkLimits()
        (limits.leaseTime, limits.renewInterval) = (leaseTime, .milliseconds(100))
        limits.attempts = 3
        let server = try await RedisServer.start(options)
        do {
            try await body(LinkedRobots(server: server, limits: limits))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
