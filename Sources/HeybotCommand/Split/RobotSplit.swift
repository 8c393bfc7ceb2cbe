import FoundationEssentials
import Heybot
import Logging

#if AllParts || IRC || XMPP
    import GatewayHost
    import GatewayLink
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process's part of a robot in several processes: the connections, or the scripts.
struct RobotSplit: Sendable {
    /// Whether this process has the connections.
    let isGateway: Bool
    /// Returns the robot's adapters, given those of the settings.
    let adapters: @Sendable ([any Adapter]) -> [any Adapter]
    /// Returns the robot's scripts, given those of a robot in one process.
    let scripts: @Sendable ([any Script]) -> [any Script]
    /// As which process this one runs the web server; nil if another one does.
    var servingProcess: ServingProcess?
    /// Stops the robot when this process is to end.
    var follow: @Sendable (Robot) -> Void = { _ in }
    /// Tells the launcher, if there is one, that SIGUSR1 replaces the worker from now on.
    var announce: @Sendable () -> Void = {}
    /// Replaces the worker; nil if this process has none.
    var swap: (@Sendable () -> Void)?
    /// Returns the exit status of the first worker if it couldn't start.
    var failure: @Sendable () -> Int32? = { nil }
    /// Returns the health of both processes, given the gateway's robot; nil if another process knows it.
    var report: (@Sendable (Robot) async -> HealthSocketReply)?
}

#if AllParts || IRC || XMPP
    extension RobotSplit {
        /// The environment variable that makes a process a worker.
        private static let variable = "HEYBOT_WORKER"

        /// Returns the socket to the gateway if this process is a worker; nil if it isn't.
        ///
        /// Call it once, before the environment is read.
        static func takeSocket() -> CInt? {
            guard getenv(variable) != nil else { return nil }
            // Neither the settings nor what a script starts may have it.
            unsetenv(variable)
            return WorkerDriver.takeStandardInput()
        }

        /// Returns this process's part; nil if the robot is in one process.
        ///
        /// A worker waits for its gateway.
        ///
        /// - Parameters:
        ///   - role: What the command line says of it.
        ///   - socket: The socket to the gateway; nil if this process isn't a worker.
        ///   - isSingle: Whether the robot is in one process, whatever the settings say.
        /// - Throws: ``ExitError`` if the gateway has ended.
        static func make(
            _ assembly: RobotAssembly, _ role: Command.Role, _ socket: CInt?, isSingle: Bool, _ logger: Logger
        ) async throws -> RobotSplit? {
            #if AllParts
                switch role {
                case .whole: break
                case .gateway: return try await linkedGateway(assembly, logger)
                case .worker: return try await linkedWorker(assembly, logger)
                }
            #endif
            if let socket { return try await worker(assembly, socket, logger) }
            let settings = assembly.settings
            let networks = settings.networks
            // A terminal belongs to the process that was started in it, and Campfire has no connection.
            let isOnNetwork = networks.contains { $0.kind != .shell && !$0.kind.isWithoutConnection }
            guard !isSingle, !settings.isSingle, isOnNetwork, !networks.contains(where: { $0.kind == .shell }) else {
                return nil
            }
            return gateway(assembly, logger)
        }

        private static func gateway(_ assembly: RobotAssembly, _ logger: Logger) -> RobotSplit {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let program = WorkerProgram(
                CommandLine.arguments.first ?? "heybot", arguments: arguments, variable: variable)
            let (path, metrics) = (assembly.data.crashes, assembly.metrics)
            let driver = GatewayDriver(
                program, logger: logger, limits: assembly.settings.limits,
                metrics: { [weak metrics] in metrics?.text() }
            ) {
                Self.takeCrash(of: $0, at: path, logger)
            }
            metrics.counter("heybot_workers_started_total", help: "Processes that were started for the scripts.") {
                Double(driver.startedWorkers)
            }
            metrics.gauge("heybot_gateway_waiting_messages", help: "Messages that no process of the scripts has.") {
                Double(driver.waitingMessages)
            }
            return RobotSplit(
                isGateway: true, adapters: { $0.filter { !($0 is any Script) } }, scripts: { _ in [driver.script] },
                announce: { Self.announce(at: ProcessInfo.processInfo.environment["WATCHED_GATEWAY"]) },
                swap: { driver.swap() }, failure: { driver.failure.map { Int32($0) } },
                report: { robot in
                    async let own = robot.health()
                    let report = await driver.report()
                    return HealthSocketReply(
                        health: await own.including(scripts: report?.health), webPort: report?.webPort,
                        scripts: report == nil ? "starting, or not answering" : "ok")
                })
        }

        /// Writes the process's id into a file, as `bin/heybot --watch` wants; otherwise it starts the robot again.
        private static func announce(at path: String?) {
            guard let path else { return }
            try? Data("\(getpid())\n".utf8).write(to: URL(filePath: path))
        }

        private static func worker(
            _ assembly: RobotAssembly, _ socket: CInt, _ logger: Logger
        ) async throws -> RobotSplit {
            let (metrics, port) = (assembly.metrics, assembly.webPort)
            let driver = WorkerDriver(socket, logger: logger, webPort: { port.number })
            guard let welcome = await driver.connect() else {
                throw ExitError("the gateway has ended, or is of another version", EX_UNAVAILABLE)
            }
            if let crashes = welcome.crashes { await assembly.disable(crashes, logger) }
            let known = Set(welcome.adapters.map(\.name))
            let networks = assembly.settings.networks.filter { !$0.kind.isWithoutConnection }.map(\.name)
            guard networks.contains(where: { known.contains($0) }) else {
                throw ExitError("the settings name none of the adapters that run: restart heybot", EX_CONFIG)
            }
            for name in networks where !known.contains(name) {
                logger.warning("the adapter \(name) is new in the settings: restart heybot to connect it")
            }
            return RobotSplit(
                isGateway: false,
                adapters: { adapters in
                    adapters.compactMap { adapter -> (any Adapter)? in
                        if adapter is any Script { return adapter }
                        return known.contains(adapter.name) ? driver.standIn(for: adapter) : nil
                    }
                },
                scripts: { scripts in
                    var scripts = scripts
                    if let index = scripts.firstIndex(where: { $0 is MetricsRoute }) {
                        scripts[index] = MetricsRoute(metrics, gateway: { await driver.gatewayMetrics() })
                    }
                    return scripts + [driver.script]
                }, servingProcess: .worker(welcome.generation), follow: { driver.follow($0) })
        }

        /// The crash that a worker has recorded; nil if it has recorded none, or if this has returned it before.
        private static func takeCrash(of process: Int, at path: String, _ logger: Logger) -> WorkerCrash? {
            let crash = CrashHistory.take(of: process, at: path) { error in
                logger.error("can't mark these crashes as reported: \(error); the next start will log them again")
            }
            guard let crash, let script = crash.script else { return nil }
            return WorkerCrash(
                signal: crash.signal, script: script, listener: crash.listener,
                message: crash.message.flatMap { Message.ID($0) }, date: crash.date)
        }
    }

    extension AdapterName {
        /// Whether its service calls the robot, so that there is no connection to keep.
        fileprivate var isWithoutConnection: Bool { rawValue == "campfire" }
    }

    extension RobotAssembly {
        /// Disables scripts that have crashed workers.
        fileprivate func disable(_ crashes: [String: [Date]], _ logger: Logger) async {
            // The script Switches enables scripts again, so it stays enabled.
            let crashes = crashes.filter { $0.key != "Switches" }
            do {
                for script in crashes.isEmpty ? [] : try await switchOff(crashes) {
                    logger.error("the script \(script) was disabled because it crashes: say \"enable \(script)\"")
                }
            } catch {
                logger.error("can't disable the scripts that crash repeatedly: \(error)")
            }
        }
    }
#else
    extension RobotSplit {
        /// Nil: this build has no connections.
        static func takeSocket() -> CInt? { nil }

        /// Nil: this build has no connections.
        static func make(
            _ assembly: RobotAssembly, _ role: Command.Role, _ socket: CInt?, isSingle: Bool, _ logger: Logger
        ) async throws -> RobotSplit? { nil }
    }
#endif
