#if AllParts
    import ArgumentParser
    import FoundationEssentials
    import GatewayHost
    import Heybot
    import Logging
    import RedisLink
    import RedisStore
    import UnixSignals

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    // Processes that reach each other through Redis.

    extension RobotSplit {
        /// The part with the connections, which waits until no other gateway has them.
        static func linkedGateway(_ assembly: RobotAssembly, _ logger: Logger) async throws -> RobotSplit {
            let configuration = try assembly.linkConfiguration("gateway")
            let names = assembly.settings.linkedNetworks
            let gateway = RedisGateway(configuration, logger: logger)
            let metrics = assembly.metrics
            metrics.gauge("heybot_gateway_waiting_messages", help: "Messages that aren't in Redis yet.") {
                Double(gateway.waitingMessages)
            }
            metrics.gauge("heybot_gateway_calls", help: "Answers and other calls that are being carried out.") {
                Double(gateway.calls)
            }
            try await assembly.reportWaiting(of: gateway, for: names, logger) {
                try await gateway.open(for: assembly.settings.name, adapters: names)
            }
            return RobotSplit(
                isGateway: true, adapters: { $0.filter { names.contains($0.name) } },
                scripts: { scripts in scripts.filter { $0 is any GatewayScript } + [gateway.script] },
                servingProcess: .gateway, failure: { gateway.isReplaced ? EX_TEMPFAIL : nil })
        }

        /// The part with the scripts.
        static func linkedWorker(_ assembly: RobotAssembly, _ logger: Logger) async throws -> RobotSplit {
            let configuration = try assembly.linkConfiguration("worker")
            let metrics = assembly.metrics
            let worker = RedisWorker(configuration, logger: logger)
            metrics.gauge("heybot_worker_partitions", help: "Partitions of rooms that this worker has.") {
                Double(worker.counts.partitions)
            }
            metrics.gauge("heybot_worker_messages", help: "Messages that this worker handles.") {
                Double(worker.counts.messages)
            }
            for partition in 0..<RedisWorker.partitions {
                metrics.gauge(
                    "heybot_partition_messages", labels: [("partition", "\(partition)")],
                    help: "Messages of a partition of rooms that aren't done."
                ) { worker.waitingMessages(in: partition).map { Double($0) } }
            }
            let crashes = CrashHistory(at: assembly.data.crashes).crashes.filter {
                Date.now.timeIntervalSince($0.date) < Double(CrashHistory.window)
            }
            let culprits = crashes.compactMap { crash in crash.message.flatMap { id in crash.script.map { (id, $0) } } }
            try await endingOnSignals {
                try await worker.open(
                    for: assembly.settings.name, blaming: Dictionary(culprits, uniquingKeysWith: { $1 }))
            } undo: {
                await worker.stop()
            }
            return RobotSplit(
                isGateway: false,
                adapters: { adapters in adapters.map { $0 is any Script ? $0 : worker.standIn(for: $0) } },
                scripts: { $0 + [worker.script] }, servingProcess: .whole)
        }
    }

    extension RobotSplit {
        /// Waits for what a process needs before its robot runs; SIGTERM and SIGINT end the process meanwhile.
        ///
        /// The first process of a container ignores signals that it doesn't handle. There is nothing to reload yet, so SIGHUP has no
        /// effect, except in a terminal, which sends it when it is closed.
        ///
        /// - Parameter undo: Called if the wait has succeeded, but a signal has come meanwhile.
        fileprivate static func endingOnSignals(
            _ body: @escaping @Sendable () async throws -> Void, undo: () async -> Void
        ) async throws {
            let isInTerminal = isatty(0) == 1 || isatty(2) == 1
            let signals = await UnixSignalsSequence(
                trapping: Command.ignoresHangup ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup])
            let waiting = Task { try await body() }
            let listening = Task {
                for await signal in signals where signal != .sighup || isInTerminal {
                    waiting.cancel()
                    return true
                }
                return false
            }
            defer { listening.cancel() }
            do {
                try await waiting.value
            } catch is CancellationError {
                throw ExitCode.success
            }
            listening.cancel()
            guard await listening.value else { return }
            await undo()
            throw ExitCode.success
        }
    }

    extension RobotAssembly {
        /// The Redis through which the processes reach each other.
        fileprivate func linkConfiguration(_ command: String) throws -> RedisStore.Configuration {
            guard let configuration = settings.redis.configuration else {
                throw ExitError(
                    "heybot \(command) needs a Redis: set HEYBOT_REDIS_URL to the same URL for all gateways and workers",
                    EX_CONFIG)
            }
            guard !settings.linkedNetworks.isEmpty else {
                throw ExitError(
                    "heybot \(command) has no network: choose one, such as heybot \(command) -a irc", EX_CONFIG)
            }
            return configuration
        }

        /// Reports to `heybot health` and to systemd how a gateway is until it has its connections.
        fileprivate func reportWaiting(
            of gateway: RedisGateway, for adapters: [String], _ logger: Logger,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws {
            let report: @Sendable () async -> HealthSocketReply? = {
                let isWaiting = gateway.isWaiting
                let state = isWaiting ? "waiting: another gateway has the connection" : "starting"
                let brain = isWaiting ? "ok" : "Redis hasn't answered yet"
                let health = Health(
                    isGood: isWaiting, adapters: Dictionary(uniqueKeysWithValues: adapters.map { ($0, state) }),
                    brain: brain, reasons: isWaiting ? [] : [brain])
                return HealthSocketReply(health: health, webPort: nil)
            }
            var socket: HealthSocket?
            do throws(HealthSocketError) {
                socket = try HealthSocket(in: data, report: report)
            } catch {
                logger.warning("\(error)")
            }
            defer { socket?.close() }
            let watching = systemd.map { systemd in Task { try await systemd.followWaiting() } }
            defer { watching?.cancel() }
            try await RobotSplit.endingOnSignals(body) { await gateway.stop() }
        }
    }

    extension SettingValues {
        /// The names of the networks that a gateway connects to.
        fileprivate var linkedNetworks: [String] {
            networks.filter { $0.kind != .shell && $0.kind.rawValue != "campfire" }.map(\.name)
        }
    }

    /// `heybot gateway`: the connections of a robot whose scripts run in workers.
    struct GatewayCommand: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway",
            abstract: "Run only the connections; workers run the scripts.",
            discussion: """
                Gateways and workers reach each other through the Redis at HEYBOT_REDIS_URL, so they may be on several machines. \
                All other settings are those of a robot in one process. A second gateway with the same adapters waits until the \
                first one is gone.
                """)

        @ParentCommand var root: Command
        @OptionGroup var flags: Options
        var mayServe: Bool { true }

        func run() async throws { try await root.run(.gateway) }
    }

    /// `heybot worker`: the scripts of a robot whose connections are in gateways.
    struct WorkerCommand: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "worker",
            abstract: "Run only the scripts; gateways keep the connections.",
            discussion: """
                Start as many as you like, with the same settings as the gateways: they share the rooms. If one ends, or stands \
                still for 5 seconds, the others take over its rooms.
                """)

        @ParentCommand var root: Command
        @OptionGroup var flags: Options
        var loadsScripts: Bool { true }
        var mayServe: Bool { true }

        func run() async throws { try await root.run(.worker) }
    }
#endif
