import DequeModule
import FoundationEssentials
import Heybot
import HeybotSupport
import Logging

/// The gateway's side of the link, as a value: what it knows of its workers, and the messages that they haven't acknowledged.
///
/// A worker is known by its generation, a number that grows: what one does that was given up is refused. The session does no I/O,
/// and knows neither a clock nor randomness.
package struct GatewaySession: Sendable {
    /// The times and numbers that limit workers.
    package struct Limits: Hashable, Sendable {
        /// The number of messages that a worker may have at a time.
        ///
        /// It is larger than what a robot's inbox and its waiting messages hold, so that slow closures don't stop it.
        package var window = 2_200
        /// The number of messages that wait in the gateway before its adapters do.
        package var waiting = 1_000
        /// The number of places, and of calls in a place, of one message that are remembered until it is done.
        package var calls = 1_000
        /// The number of calls of a worker that may be under way.
        package var underway = 10_000
        /// The number of open questions of a worker that are remembered.
        package var claims = 10_000
        /// How long a worker may take to start.
        ///
        /// It is longer than a Hubot script may take to load.
        package var startTime: Duration = .seconds(120)
        /// The time after which a worker that has messages and is silent is asked whether it is there.
        package var pingAfter: Duration = .seconds(2)
        /// The time in which it has to answer.
        package var hangTime: Duration = .seconds(10)
        /// How long a worker may take to finish after another one has taken over.
        package var drainTime: Duration = .seconds(65)
        /// How long a worker may take to end after it has finished.
        package var leaveTime: Duration = .seconds(6)
        /// How long a room's messages wait for those that an earlier worker handles.
        package var heldTime: Duration = .seconds(1)
        /// The number of earlier workers that may finish at a time.
        package var draining = 3
        /// How often a message is given to workers that end with it, if nobody knows which message has ended them.
        package var attempts = 3
        /// How often a script may crash a worker within ``crashWindow`` before it is disabled.
        package var crashes = 3
        /// See ``crashes``.
        package var crashWindow: Duration = .seconds(600)
        /// How often workers that had started are replaced at once.
        package var restarts = BurstLimit(burst: 30, interval: .seconds(1))
        /// How many workers may fail to start before the gateway ends, if none has ever started.
        package var starts = 5
        /// How often admins get a notice of a worker that has ended.
        package var notices = BurstLimit(burst: 5, interval: .seconds(600))
        /// How long the workers may take to end when the gateway stops.
        package var stopTime: Duration = .seconds(5)

        /// Creates the default limits.
        package init() {}
    }

    /// How often something may happen at once; after that, once in each interval.
    package struct BurstLimit: Hashable, Sendable {
        /// The number of times at once.
        package var burst: Int
        /// The interval.
        package var interval: Duration

        /// Creates a limit.
        package init(burst: Int, interval: Duration) { (self.burst, self.interval) = (burst, interval) }

        /// A bucket with this limit, full.
        var bucket: TokenBucket { TokenBucket(RateLimit(burst: burst, interval: interval)) }
    }

    /// A worker.
    struct Worker: Sendable {
        enum Phase: Hashable, Sendable {
            /// It prepares its robot.
            case starting
            /// It gets the new messages.
            case ready
            /// Another one has taken over; it finishes what it has.
            case draining
            /// It has finished, and ends.
            case leaving
            /// It was given up, and is being killed: nothing that it still sends counts.
            case fenced
        }

        var phase = Phase.starting
        /// Since when it is in this phase.
        var since: Duration
        /// Whether both have agreed on a version.
        var hasGreeted = false
        /// The scripts that it has to disable.
        var disabled: Set<String> = []
        /// The numbers of the messages that it has.
        var open: Set<Int> = []
        /// The conversations in which it waits for an answer.
        var claims: [Claim] = []
        /// When it has sent something last, or got a message after a while without any.
        var lastHeard: Duration
        /// When it was asked whether it is there; nil if it has sent something since.
        var pinged: Duration?
        /// The number of its calls that are under way.
        var underway = 0
        /// Whether no room's messages wait for it any more.
        var hasReleasedRooms = false

        init(at now: Duration) { (since, lastHeard) = (now, now) }

        mutating func enter(_ phase: Phase, at now: Duration) { (self.phase, since) = (phase, now) }
    }

    /// A message that isn't done.
    struct Entry: Sendable {
        let message: Message
        /// The worker that has it; nil if it waits.
        var worker: Int?
        /// How often it was given to a worker.
        var attempt = 0
        /// How often a worker has ended with it, and it may have been the reason.
        var suspicions = 0
        /// Whether its worker was waiting for an answer of its sender there when it got the message.
        var mayAnswer = false
        /// Whether it has probably answered a question: another worker doesn't know the question.
        var isAnswer = false
        /// Its calls in each place, in order.
        var calls: [String: [CallState]] = [:]

        init(_ message: Message) { self.message = message }
    }

    /// What is known of a call that has a place.
    enum CallState: Sendable {
        /// An adapter carries it out.
        case underway(token: Int)
        case over(CallOutcome)
    }

    /// Which of the calls of a message in a place a call is.
    struct CallOrigin: Sendable {
        let number: Int
        let place: String
        let index: Int
    }

    /// A worker that waits for the outcome of a call.
    struct Asker: Sendable {
        var generation: Int
        var call: Int
        /// The message, the place, and the index there, if the call has a place.
        let origin: CallOrigin?
    }

    let limits: Limits
    let versions: LinkVersions
    var adapters: [AdapterFacts]
    var workers: [Int: Worker] = [:]
    /// The worker that gets new messages; nil while there is none.
    var current: Int?
    /// The worker that is starting; nil if none is.
    var starting: Int?
    var lastGeneration = 0
    /// Whether the worker that is starting is to be replaced as soon as it is ready.
    var swapsAgain = false
    var entries: [Int: Entry] = [:]
    var lastNumber = 0
    /// The numbers of the messages that no worker has, in order.
    var waiting: Deque<Int> = []
    /// Whether the adapters have to wait.
    var isStalled = false
    var calls: [Int: Asker] = [:]
    var lastToken = 0
    var lastPing = 0
    var crashes: CrashCounts
    /// The scripts to disable, with the times of their crashes.
    var disabled: [String: [Date]] = [:]
    var startBackoff = GatewaySession.newStartBackoff
    var restarts: TokenBucket
    var notices: TokenBucket
    /// When to start a worker; nil if that isn't due.
    var restartAt: Duration?
    /// Whether a worker has ever been ready.
    var hasBeenReady = false
    /// When the last workers are killed at the latest, because the gateway was asked to stop; nil if it wasn't.
    var stopDeadline: Duration?
    /// The number of workers that have failed to start before the first that was ready.
    var failedStarts = 0
    /// When the last workers are killed, because the gateway stops; nil if it doesn't stop.
    var stopBy: Duration?
    var isOver = false

    /// Creates a session without workers.
    ///
    /// - Parameters:
    ///   - adapters: The facts of all adapters.
    ///   - versions: The versions of the link that it speaks.
    package init(_ adapters: [AdapterFacts], limits: Limits = Limits(), versions: LinkVersions = .own) {
        (self.adapters, self.limits, self.versions) = (adapters, limits, versions)
        crashes = CrashCounts(most: limits.crashes, within: limits.crashWindow)
        (restarts, notices) = (limits.restarts.bucket, limits.notices.bucket)
    }

    static var newStartBackoff: Backoff { Backoff(first: .milliseconds(200), longest: .seconds(30)) }

    var isStopping: Bool { stopBy != nil || isOver }

    /// The workers that finish what they have, oldest first.
    var draining: [Int] { workers.filter { $0.value.phase == .draining }.keys.sorted() }

    // MARK: Facts

    /// Whether too many messages wait: then none should come until ``GatewayAction/resume``.
    package var isFull: Bool { isStalled && !isStopping }

    /// The number of messages that no worker has.
    package var waitingMessages: Int { waiting.count }

    /// The number of messages that aren't done.
    package var openMessages: Int { entries.count }

    /// The number of workers that were started.
    package var startedWorkers: Int { lastGeneration }

    /// The generation of the worker that gets new messages; nil while there is none.
    package var currentWorker: Int? { current }

    // MARK: Workers

    /// Begins: starts the first worker.
    package mutating func start(at now: Duration) -> [GatewayAction] { startWorker(at: now) }

    /// Replaces the worker by one that has present settings, scripts and program.
    ///
    /// The old one goes on until the new one is ready.
    package mutating func swap(at now: Duration) -> [GatewayAction] {
        guard !isStopping, stopDeadline == nil else { return [] }
        guard starting == nil else {
            swapsAgain = true
            return []
        }
        return startWorker(at: now)
    }

    /// The gateway was asked to stop, and first handles the messages that it has: no worker fires timers any more.
    package mutating func prepareToStop(at now: Duration) -> [GatewayAction] {
        guard !isStopping, stopDeadline == nil else { return [] }
        stopDeadline = now + limits.stopTime
        let running = workers.filter { $0.value.phase == .ready || $0.value.phase == .draining }
        return running.keys.sorted().map { GatewayAction.send(.endTimers, to: $0) }
    }

    /// The gateway stops: lets the workers finish and end.
    package mutating func stop(at now: Duration) -> [GatewayAction] {
        guard !isStopping else { return [] }
        (stopBy, restartAt) = (stopDeadline ?? now + limits.stopTime, nil)
        guard !workers.isEmpty else { return finishStopping() }
        var actions: [GatewayAction] = []
        for generation in workers.keys.sorted() {
            switch workers[generation]?.phase {
            case .starting: actions += fence(generation, at: now)
            case .ready: actions += drain(generation, keepsQuestions: false, at: now)
            case .draining: actions.append(.send(.drain(keepsQuestions: false), to: generation))
            case .leaving, .fenced, nil: break
            }
        }
        current = nil
        return actions
    }

    mutating func startWorker(at now: Duration) -> [GatewayAction] {
        lastGeneration += 1
        workers[lastGeneration] = Worker(at: now)
        (starting, restartAt) = (lastGeneration, nil)
        return [.start(generation: lastGeneration)]
    }

    mutating func drain(_ generation: Int, keepsQuestions: Bool, at now: Duration) -> [GatewayAction] {
        workers[generation]?.enter(.draining, at: now)
        return [.send(.drain(keepsQuestions: keepsQuestions), to: generation)]
    }

    mutating func fence(_ generation: Int, at now: Duration) -> [GatewayAction] {
        workers[generation]?.enter(.fenced, at: now)
        if current == generation { current = nil }
        return [.kill(generation: generation)]
    }

    mutating func finishStopping() -> [GatewayAction] {
        isOver = true
        return entries.keys.sorted().flatMap { finish($0) } + [.stopped(status: nil)]
    }

    /// The facts of adapters have changed.
    package mutating func adaptersChanged(_ facts: [AdapterFacts]) -> [GatewayAction] {
        guard facts != adapters else { return [] }
        adapters = facts
        return workers.keys.sorted().compactMap { generation in
            guard let worker = workers[generation], worker.hasGreeted, worker.phase != .fenced else { return nil }
            return .send(.adapters(facts), to: generation)
        }
    }

    // MARK: What workers send

    /// A worker has sent a frame.
    ///
    /// - Returns: What to do; nothing if the worker was given up.
    package mutating func received(
        _ frame: WorkerFrame, from generation: Int, at now: Duration
    ) -> [GatewayAction] {
        guard let worker = workers[generation], worker.phase != .fenced else { return [] }
        workers[generation]?.lastHeard = now
        workers[generation]?.pinged = nil
        switch frame {
        case .hello(let versions, _): return greet(generation, versions, at: now)
        case .ready: return becomeReady(generation, at: now)
        case .done(let numbers):
            var actions: [GatewayAction] = []
            for number in numbers where workers[generation]?.open.contains(number) == true {
                actions += finish(number)
            }
            return actions + distribute(at: now)
        case .call(let call): return perform(call, of: generation)
        case .claim(let claim):
            if worker.claims.count < limits.claims { workers[generation]?.claims.append(claim) }
            return []
        case .release(let claim):
            release(claim, of: generation)
            return distribute(at: now)
        case .report(let number, _), .commands(let number, _): return [.answer(number: number, frame)]
        case .drained: return leave(generation, at: now)
        case .stop: return isStopping ? [] : [.stopRobot] + stop(at: now)
        case .pong: return []
        case .unknown(let type):
            return [.log(.debug, "a worker has sent a frame of an unknown type: \(type)", script: nil)]
        }
    }

    /// A question is over.
    private mutating func release(_ claim: Claim, of generation: Int) {
        guard let worker = workers[generation] else { return }
        let index = worker.claims.firstIndex { $0.sender == claim.sender && $0.room.id == claim.room.id }
        if let index { workers[generation]?.claims.remove(at: index) }
        for number in worker.open {
            guard let entry = entries[number], entry.mayAnswer, claim.mayCover(entry.message) else { continue }
            entries[number]?.isAnswer = true
        }
    }

    private mutating func greet(_ generation: Int, _ other: LinkVersions, at now: Duration) -> [GatewayAction] {
        guard workers[generation]?.phase == .starting, workers[generation]?.hasGreeted == false else { return [] }
        guard let version = versions.common(with: other) else {
            let text = "the program was replaced by one whose workers this gateway doesn't understand: restart heybot"
            return [.log(.error, text, script: nil)] + fence(generation, at: now)
        }
        workers[generation]?.hasGreeted = true
        workers[generation]?.disabled = Set(disabled.keys)
        let welcome = Welcome(
            version: version, generation: generation, adapters: adapters, crashes: disabled.isEmpty ? nil : disabled)
        return [.send(.welcome(welcome), to: generation)]
    }

    private mutating func becomeReady(_ generation: Int, at now: Duration) -> [GatewayAction] {
        guard let worker = workers[generation], worker.phase == .starting, worker.hasGreeted else { return [] }
        var actions: [GatewayAction] = []
        workers[generation]?.enter(.ready, at: now)
        (hasBeenReady, starting) = (true, nil)
        if stopDeadline != nil { actions.append(.send(.endTimers, to: generation)) }
        // A script that another worker has crashed since the welcome is disabled by the next one.
        disabled = disabled.filter { !worker.disabled.contains($0.key) }
        startBackoff = Self.newStartBackoff
        if let old = current { actions += drain(old, keepsQuestions: true, at: now) }
        current = generation
        for old in draining.dropLast(limits.draining) { actions += fence(old, at: now) }
        actions += distribute(at: now)
        if swapsAgain {
            swapsAgain = false
            actions += startWorker(at: now)
        }
        return actions
    }

    /// A worker has finished; if it was given something meanwhile, that goes to the next one.
    private mutating func leave(_ generation: Int, at now: Duration) -> [GatewayAction] {
        guard let worker = workers[generation], worker.phase == .draining else { return [] }
        workers[generation]?.enter(.leaving, at: now)
        workers[generation]?.open = []
        workers[generation]?.claims = []
        let answers = endAnswers(among: worker.open)
        putBack(worker.open)
        return answers + (isStopping ? [] : tellAboutLost(worker.claims)) + distribute(at: now)
    }
}
