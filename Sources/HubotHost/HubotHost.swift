import FoundationEssentials
package import Heybot
import HeybotSupport
package import Logging
import Synchronization

/// Runs Hubot scripts in a Node process, and connects them with the robot.
///
/// ``load()`` starts the process and returns a ``Script`` for each file, from which the robot is then built. If the process ends, it
/// is started again. When the scripts have changed, another process takes over (``reload()``).
package final class HubotHost: Sendable {
    /// What runs, and where.
    package struct Configuration: Sendable {
        /// The first message to the host.
        package var start: RobotMessage.Start
        /// The path of Node.
        package var node: String
        /// The path of the program that runs the scripts.
        package var program: String
        /// The folder that the scripts run in: the Hubot's.
        package var folder: String
        /// The options of Node.
        package var nodeOptions: [String] = []
        /// The environment variables of the robot that the program doesn't get.
        package var withheldVariables: Set<String> = []
        /// Whether changed files are loaded at once.
        package var watchesFiles = false
        package var limits = HostSession.Limits()

        package init(start: RobotMessage.Start, node: String, program: String, folder: String) {
            (self.start, self.node, self.program, self.folder) = (start, node, program, folder)
        }
    }

    /// What all versions of the scripts have in common.
    struct SharedAcrossReloads: Sendable {
        let logger: Logger
        let timeSource: TimeSource
        /// What scripts send.
        let deliveries = SerialJobQueues()
        /// The changes of Hubot's brain, in order.
        let storing = SerialJobQueues()
        /// Those of them that aren't stored yet.
        let pending = PendingBrainChanges()
        /// The operations on Hubot's data store, in order.
        let operating = SerialJobQueues()
        /// The messages that scripts put into the robot, in order.
        let injecting = SerialJobQueues()

        /// Begins with the jobs that were added.
        func beginJobs() {
            deliveries.begin()
            storing.begin()
            operating.begin()
            injecting.begin()
        }
    }

    private struct State {
        var current: HostSessionDriver
        /// The next version, while it is being loaded.
        var next: HostSessionDriver?
        /// Those that finish what they have begun.
        var retiring: [HostSessionDriver] = []
        weak var robot: Robot?
        var isReloading = false
        var isFinished = false
        var watching: Task<Void, Never>?
    }

    private let configuration: Configuration
    private let findFiles: (@Sendable () throws -> HubotFiles)?
    private let importBrain: (@Sendable () async -> Void)?
    private let shared: SharedAcrossReloads
    private let state: Mutex<State>

    /// - Parameters:
    ///   - findFiles: Finds the scripts to load when they are reloaded; by default, they stay the same.
    ///   - importBrain: Called when the robot's brain is open, before the scripts get it.
    package init(
        _ configuration: Configuration, logger: Logger,
        timeSource: TimeSource = TimeSource(ContinuousClock(), date: { .now }),
        findFiles: (@Sendable () throws -> HubotFiles)? = nil, importBrain: (@Sendable () async -> Void)? = nil
    ) {
        self.configuration = configuration
        shared = SharedAcrossReloads(logger: logger, timeSource: timeSource)
        (self.findFiles, self.importBrain) = (findFiles, importBrain)
        state = Mutex(
            State(
                current: HostSessionDriver(
                    configuration, shared, names: HubotRoomAndUserNames(adapters: configuration.start.adapters))))
    }

    /// The scripts' present version.
    var latest: HostSessionDriver { state.withLock { $0.current } }

    /// The scripts' next version, while it is being loaded.
    var next: HostSessionDriver? { state.withLock { $0.next } }

    /// Starts the process, and waits until the scripts are loaded.
    ///
    /// Call it once.
    ///
    /// - Returns: A script for each file, in order, and one for what they have in common.
    package func load() async -> [any Script] {
        _ = await latest.load(for: self)
        return latest.scripts(self)
    }

    /// The number of previous versions that still finish what they have begun.
    var retiringCount: Int { state.withLock { $0.retiring.count } }

    /// Whether the process answers questions.
    package var isRunning: Bool { latest.isRunning }

    /// The scripts that can't be loaded, a line for each reason.
    package var problems: [String] { latest.problems }

    /// The scripts as they were loaded, with what they need.
    package var loadedScripts: [LoadedScript] { latest.state.withLock { $0.session.scripts } }

    // MARK: With the robot

    /// Connects the scripts with the robot, whose brain is open.
    func start(_ robot: Robot) async {
        await importBrain?()
        let watch =
            configuration.watchesFiles
            ? findFiles.map { HubotFilesWatch(host: self, logger: shared.logger, findFiles: $0) } : nil
        state.withLock { state in
            state.robot = robot
            state.watching = watch.map { watch in Task.detached { await watch.run() } }
        }
        await latest.start(robot)
    }

    /// Stops with the robot: everything that scripts have changed is stored.
    func finish() async {
        let drivers = state.withLock { state in
            state.isFinished = true
            state.watching?.cancel()
            return [state.current] + state.retiring + [state.next].compactMap { $0 }
        }
        await withTaskGroup { group in
            for driver in drivers { group.addTask { await driver.stop() } }
        }
        await finishStoring()
    }

    /// Whether the robot stops.
    var isStopping: Bool { state.withLock { $0.isFinished } }

    /// Waits until everything that scripts have changed is stored.
    func finishStoring() async {
        await shared.storing.finish(HostSessionDriver.brainQueue)
        await shared.operating.finish("")
    }

    /// Passes what a version of the scripts has changed in the brain on to the others that will go on.
    ///
    /// Call it when the oldest batch of changes that wait has been stored, before it is removed from them.
    func learn(_ entries: [BrainEntry], ofBatch batch: Int, from driver: HostSessionDriver) {
        let others = state.withLock { [$0.current, $0.next].compactMap { $0 } }.filter { $0 !== driver }
        guard !others.isEmpty else { return }
        // An entry that has changed again meanwhile is older than what the others have.
        let newer = shared.pending.laterKeys
        let entries = entries.filter { !newer.contains($0.key) }
        guard !entries.isEmpty else { return }
        for other in others { other.perform { $0.learn(entries, ofBatch: batch) } }
    }

    // MARK: Reloading

    /// How long the robot waits for the previous process before the new one answers.
    private static let handoverTime: Duration = .seconds(2)

    /// Loads the scripts as they are now: changed, new and removed files.
    ///
    /// A new process loads them while the previous one goes on. When it is ready, it takes over between two messages, and the
    /// previous one finishes what it has begun. If the scripts can't be loaded, the previous ones stay.
    ///
    /// - Returns: What was loaded, for the person who asked.
    /// - Throws: ``HubotReloadError``.
    package func reload() async throws -> String {
        // In a task of its own: what asked for it may be cancelled meanwhile.
        try await Task.detached { try await self.reloadScripts() }.value
    }

    private func reloadScripts() async throws -> String {
        let robot = try state.withLock { state -> Robot in
            guard let robot = state.robot, !state.isFinished else { throw HubotReloadError.notRunning }
            guard !state.isReloading else { throw HubotReloadError.isReloading }
            state.isReloading = true
            return robot
        }
        defer { state.withLock { ($0.isReloading, $0.next) = (false, nil) } }
        var configuration = configuration
        do {
            if let files = try findFiles?() {
                for note in files.notes { shared.logger.notice("\(note)") }
                (configuration.start.scripts, configuration.start.external) = (files.scripts, files.external)
            }
        } catch {
            throw HubotReloadError.failed("\(error)")
        }
        let old = latest
        let new = HostSessionDriver(configuration, shared, names: old.state.withLock { $0.names })
        state.withLock { $0.next = new }
        do {
            guard await new.load(for: self) else {
                throw HubotReloadError.failed("the Hubot scripts' process doesn't start; the log has the reason")
            }
            try await new.follow(old, of: robot)
            guard !state.withLock({ $0.isFinished }) else { throw HubotReloadError.notRunning }
            try robot.replaceScripts(Set(old.scripts(self).map(\.name)), with: new.scripts(self))
            state.withLock { state in
                (state.current, state.next) = (new, nil)
                state.retiring.append(old)
            }
        } catch {
            await new.stop()
            throw error as? HubotReloadError ?? .failed("\(error)")
        }
        await handOver(from: old, to: new)
        return summary(of: new, robot)
    }

    /// Lets a version of the scripts finish what it has begun, and the new one answer.
    private func handOver(from old: HostSessionDriver, to new: HostSessionDriver) async {
        await old.retire(within: Self.handoverTime)
        // The new scripts start with everything that the previous ones have changed, unless storing that takes long.
        let isStored = OneShotPromise<Void>()
        Task.detached {
            await self.finishStoring()
            isStored.fulfill(())
        }
        let waiting = Task.detached { [shared] in
            try await shared.timeSource.sleep(Self.handoverTime)
            isStored.fulfill(())
        }
        await isStored.value()
        waiting.cancel()
        new.takeOver()
        // Only one finishes at its leisure.
        let older = state.withLock { $0.retiring.filter { $0 !== old } }
        for driver in older { Task.detached { await driver.stop() } }
        Task.detached {
            await old.waitForEnd()
            self.state.withLock { $0.retiring.removeAll { $0 === old } }
        }
    }

    private func summary(of driver: HostSessionDriver, _ robot: Robot) -> String {
        let count = driver.loadedCount
        var lines = ["Loaded \(count) Hubot script\(count == 1 ? "" : "s")."]
        if driver.hasRoutes, configuration.start.web, !robot.isListening {
            lines.append("Restart me so that the scripts' web routes are served.")
        }
        let problems = driver.problems
        return (lines + (problems.isEmpty ? [] : ["Problems:"] + problems)).joined(separator: "\n")
    }
}

/// The reason why Hubot scripts couldn't be reloaded.
package enum HubotReloadError: UserFacingError, Hashable, CustomStringConvertible {
    /// The robot doesn't run yet, or not any more.
    case notRunning
    /// They are being reloaded already.
    case isReloading
    /// The reason; the previous scripts stay.
    case failed(String)

    package var description: String {
        switch self {
        case .notRunning: "the robot is starting or stopping"
        case .isReloading: "the Hubot scripts are already being reloaded"
        case .failed(let reason): "\(reason); the previous Hubot scripts keep running"
        }
    }

    package var userMessage: String {
        switch self {
        case .notRunning: "I can't do that while I'm starting or stopping."
        case .isReloading: "I'm already reloading the scripts."
        case .failed(let reason): "I can't reload the scripts, so the previous ones keep running: \(reason)."
        }
    }
}
