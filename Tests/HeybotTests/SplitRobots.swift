import GatewayHost
import Heybot
import HeybotTesting
import Logging
import RedisLink
import RedisStore
import TestServers
import Testing

/// Runs tests three times: with robots of one process, and with robots that consist of a gateway and a worker, linked by a socket
/// or by a Redis.
struct SplitRobots: SuiteTrait, TestTrait, TestScoping {
    /// How a robot is split.
    enum Link: Sendable {
        case socket
        /// By the Redis at this port.
        case redis(port: Int)
    }

    @TaskLocal static var link: Link?
    /// Waits until a message is done that is in a Redis.
    @TaskLocal static var waitUntilDone: @Sendable (Message.ID) async -> Void = { _ in }

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await body()
        try await Self.$link.withValue(.socket) { try await body() }
        guard RedisServer.isInstalled else { return }
        let server = try await RedisServer.start()
        do {
            try await Self.$link.withValue(.redis(port: server.port)) { try await body() }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

extension Trait where Self == SplitRobots {
    /// Runs tests again with robots that consist of a gateway and a worker.
    static var alsoSplit: Self { Self() }
}

/// A robot that consists of a gateway and a worker.
struct SplitRobot: Sendable {
    /// The robot with the adapters' connections.
    let gateway: Robot
    /// Returns the robot with the scripts, once; nil if it couldn't connect.
    let worker: @Sendable () async -> Robot?
    /// Ends what the robots don't end.
    var end: @Sendable () async -> Void = {}
    /// Waits until a message is done that is in a Redis.
    var waitUntilDone: @Sendable (Message.ID) async -> Void = { _ in }

    init(
        _ link: SplitRobots.Link, _ adapters: [any Adapter], _ brain: Brain, _ scripts: [any Script],
        _ limits: Robot.Limits, _ logger: Logger
    ) async throws {
        func gateway(_ script: any Script) -> Robot {
            Robot(
                name: "Heybot", adapters: adapters, brain: Brain(store: MemoryStore()), scripts: [script],
                limits: limits, logger: logger)
        }
        switch link {
        case .socket:
            let launcher = LocalLauncher(scripts, for: adapters, brain: brain, limits: limits, logger: logger)
            self.gateway = gateway(GatewayDriver(launcher, logger: logger, limits: limits).script)
            worker = { await launcher.robot() }
        case .redis(let port):
            var configuration = RedisStore.Configuration(try RedisAddress("redis://127.0.0.1:\(port)"))
            configuration.callTimeout = .testLimit
            var limitsOfLink = LinkLimits()
            // A busy machine isn't a lost process.
            limitsOfLink.leaseTime = .seconds(600)
            limitsOfLink.renewInterval = .milliseconds(100)
            let silent = Logger(label: "link") { _ in SwiftLogNoOpLogHandler() }
            let link = RedisGateway(configuration, limits: limitsOfLink, logger: silent)
            try await link.open(for: "Heybot", adapters: adapters.map(\.name))
            let scripted = RedisWorker(configuration, limits: limitsOfLink, logger: silent)
            try await scripted.open(for: "Heybot")
            self.gateway = gateway(link.script)
            let robot = Robot(
                name: "Heybot", adapters: adapters.map { scripted.standIn(for: $0) }, brain: brain,
                scripts: scripts + [scripted.script], limits: limits, logger: logger)
            let running = Task { try await robot.run() }
            worker = { robot }
            let client = RedisClient(configuration, silent)
            try await client.open()
            waitUntilDone = { id in
                while await Self.hasMessage(id, client) { try? await Task.sleep(for: .milliseconds(5)) }
            }
            end = {
                robot.stop()
                try? await running.value
                await client.close()
            }
        }
    }

    private static func hasMessage(_ id: Message.ID, _ client: RedisClient) async -> Bool {
        let script = LuaScript(
            """
            for _, key in ipairs(redis.call('KEYS', 'heybot:link:in:*')) do
              for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
                if string.find(entry[2][2], '"' .. ARGV[1] .. '"', 1, true) then return 1 end
              end
            end
            return 0
            """)
        return (try? await client.run(script, [], [Array(id.description.utf8)], isRetryable: true)) == .integer(1)
    }
}
