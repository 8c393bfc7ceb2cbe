import FoundationEssentials
import GatewayLink
import Heybot
import Logging
import RedisStore

/// What gateways and workers share in Redis, with a call for each step.
///
/// Calls throw ``Heybot/StoreError`` while Redis is unavailable. Unless their documentation says otherwise, they can be repeated
/// without harm, which a lost connection does by itself.
struct LinkDatabase: Sendable {
    /// A message in a partition.
    struct Entry: Sendable {
        /// Its id in Redis.
        let id: String
        let message: Message
        /// How often it was taken over from other workers.
        var attempts = 0
    }

    /// What an earlier worker has left in a partition.
    struct Legacy: Sendable {
        /// The messages that aren't done.
        var entries: [Entry] = []
        /// The ids of messages that can't be read.
        var unreadable: [String] = []
        /// The id of the last of all these.
        var last = "0-0"
        /// The questions that it had asked, by id.
        var claims: [String: Claim] = [:]
        /// The messages that have crashed workers, in any partition, with the scripts.
        var culprits: [String: String] = [:]
    }

    /// What a worker knows after it has said that it is there.
    struct Renewal: Sendable {
        /// The number of workers.
        var workers = 0
        /// The facts of all adapters.
        var adapters: [AdapterFacts] = []
        /// The names of those that a gateway has.
        var held: Set<String> = []
        /// The worker's partitions, with their tokens.
        var owned: [Int: Int] = [:]
        /// The number of messages that aren't done in each of them.
        var waiting: [Int: Int] = [:]
    }

    /// What becomes of a call.
    enum CallState: Sendable {
        /// Its outcome comes later.
        case underway
        case over(CallOutcome)
        /// Another worker has the partition.
        case lost
        /// Too many calls wait for the adapter.
        case full
    }

    /// The number of the format of what gateways and workers have in Redis.
    ///
    /// It changes if a version can't read what the one before has written. Additional members of messages and calls don't change
    /// it, since they are ignored.
    private static let format = 1

    private let client: RedisClient
    /// Reading streams blocks a connection, so it has one of its own.
    private let reader: RedisClient
    private let prefix: [UInt8]

    /// Creates the access, which ``open()`` connects.
    init(_ configuration: RedisStore.Configuration, _ logger: Logger) {
        client = RedisClient(configuration, logger)
        // The other client logs outages.
        reader = RedisClient(configuration, Logger(label: "heybot.redis") { _ in SwiftLogNoOpLogHandler() })
        prefix = Array("\(configuration.address.prefix ?? "heybot"):link:".utf8)
    }

    /// Connects.
    func open() async throws {
        try await client.open()
        try await reader.open()
    }

    /// Closes the connections after all outstanding calls have ended.
    func close() async {
        await reader.close()
        await client.close()
    }

    // MARK: Workers

    /// Says that a worker is there, and takes partitions.
    ///
    /// - Parameters:
    ///   - first: Where it begins to take them.
    ///   - last: The id up to which it has read its stream.
    func renew(
        _ worker: String, for time: Duration, takesPartitions: Bool, from first: Int, read last: String
    ) async throws -> Renewal {
        let takes = takesPartitions ? "1" : "0"
        let words = [worker, "\(time.inMilliseconds)", "\(Partitions.count)", takes, "\(first)", last]
        let reply = try await run(.renewLeases, words: words)
        var parts = try texts(reply)[...]
        var renewal = Renewal(workers: Int(parts.popFirst() ?? "") ?? 0)
        while let name = parts.popFirst(), name != "-" {
            guard let json = parts.popFirst(), let isHeld = parts.popFirst() else { throw Self.unreadable }
            guard let facts = try? JSONDecoder().decode(AdapterFacts.self, from: Data(json.utf8)) else { continue }
            renewal.adapters.append(facts)
            if isHeld == "1" { renewal.held.insert(name) }
        }
        while let partition = parts.popFirst().flatMap({ Int($0) }), let token = parts.popFirst().flatMap({ Int($0) }),
            let waiting = parts.popFirst().flatMap({ Int($0) })
        {
            (renewal.owned[partition], renewal.waiting[partition]) = (token, waiting)
        }
        return renewal
    }

    /// Registers the robot's name.
    ///
    /// - Parameter format: The number of the format of what is in Redis; only tests give another.
    /// - Throws: ``Heybot/StoreError`` also if processes of another robot, or of a version with another format, use the same keys.
    func introduce(_ robot: String, format: Int = Self.format) async throws {
        let known = try texts(await run(.introduce, words: [robot, "\(format)"]))
        guard known.count == 2 else { throw Self.unreadable }
        guard known[0] == robot else {
            throw StoreError(
                .refused, "gateways or workers of the robot \(known[0]) use this Redis, and this one is \(robot)",
                fix: "give each robot a prefix of its own in the URL of Redis (?prefix), or the same name")
        }
        guard known[1] == "\(format)" else {
            throw StoreError(
                .refused,
                "gateways or workers of a version with another format (\(known[1]), this one has \(format)) use this Redis",
                fix: "stop all of them, and start them with the same version")
        }
    }

    /// Gives up everything that a worker has.
    func leave(_ worker: String) async throws {
        _ = try await run(.leave, words: [worker, "\(Partitions.count)"])
    }

    func release(_ partitions: [Int: Int], of worker: String) async throws {
        guard !partitions.isEmpty else { return }
        let pairs = partitions.flatMap { ["\($0.key)", "\($0.value)"] }
        _ = try await run(.releaseLeases, words: [worker] + pairs)
    }

    /// What a partition has; nil if the worker has lost it.
    func takeOver(_ partition: Int, _ token: Int, of worker: String, limit: Int) async throws -> Legacy? {
        let reply = try await run(.takeOver, words: ["\(partition)", "\(token)", worker, "\(limit)"])
        guard case .array(let parts) = reply else { return nil }
        var (legacy, rest) = (Legacy(), parts[...])
        while let id = rest.popFirst()?.string, id != "-" {
            guard let bytes = rest.popFirst()?.bytes, let attempts = rest.popFirst()?.string else { break }
            legacy.last = id
            if let message = Self.message(bytes) {
                legacy.entries.append(Entry(id: id, message: message, attempts: Int(attempts) ?? 0))
            } else {
                legacy.unreadable.append(id)
            }
        }
        while let id = rest.popFirst()?.string, id != "-" {
            guard let bytes = rest.popFirst()?.bytes else { break }
            if let claim = try? JSONDecoder().decode(Claim.self, from: Data(bytes)) { legacy.claims[id] = claim }
        }
        while let message = rest.popFirst()?.string, let script = rest.popFirst()?.string {
            legacy.culprits[message] = script
        }
        return legacy
    }

    /// Records messages that have crashed a worker, with the scripts.
    func blame(_ culprits: [String: String]) async throws {
        guard !culprits.isEmpty else { return }
        _ = try await run(.blame, words: culprits.flatMap { [$0.key, $0.value] })
    }

    /// Removes messages that are done.
    ///
    /// - Returns: The partitions that another worker has, in which nothing was removed.
    func finish(_ messages: [(partition: Int, token: Int, id: String)], of worker: String) async throws -> Set<Int> {
        let triples = messages.flatMap { ["\($0.partition)", "\($0.token)", $0.id] }
        return Set(try texts(await run(.done, words: [worker] + triples)).compactMap { Int($0) })
    }

    func note(_ claim: Claim, id: String, isOpen: Bool, in partition: Int, _ token: Int, of worker: String) async throws
    {
        let json = isOpen ? Array(try JSONEncoder().encode(claim)) : []
        let words = ["\(partition)", "\(token)", worker, id].map { Array($0.utf8) }
        _ = try await run(.asked, words + [json])
    }

    // MARK: Calls

    /// Has an adapter carry out what a message has caused, once.
    func begin(
        _ call: AdapterCall, for entry: String, in partition: Int, _ token: Int, place: String, of worker: String,
        limit: StreamLimit
    ) async throws -> CallState {
        let frame = try LinkCoder.encode(WorkerFrame.call(call))
        if frame.isTooLong { return .over(Self.tooLong) }
        let words = ["\(partition)", "\(token)", worker, entry, place, call.adapter] + limit.words
        return try state(await run(.call, words.map { Array($0.utf8) } + [frame.json, frame.file]))
    }

    /// Has an adapter carry out something else; if it changes something, what may have been done isn't repeated.
    ///
    /// - Parameter hasOutcome: Whether the worker waits for its outcome.
    func request(
        _ call: AdapterCall, for entry: String, in partition: Int?, of worker: String, hasOutcome: Bool,
        limit: StreamLimit
    ) async throws -> CallState {
        let frame = try LinkCoder.encode(WorkerFrame.call(call))
        if frame.isTooLong { return .over(Self.tooLong) }
        let start = [worker, hasOutcome ? "\(call.call)" : "", call.adapter] + limit.words
        let origin = [partition.map { "\($0)" } ?? "", entry].map { Array($0.utf8) }
        let words = start.map { Array($0.utf8) } + [frame.json, frame.file] + origin
        return try state(await run(.request, words, isRetryable: call.place == nil))
    }

    private func state(_ reply: Reply) throws -> CallState {
        guard case .array(let parts) = reply, let word = parts.first?.string else { throw Self.unreadable }
        switch word {
        case "sent", "waiting": return .underway
        case "lost": return .lost
        case "full": return .full
        default:
            guard let outcome = parts.last?.bytes.flatMap(Self.outcome) else { throw Self.unreadable }
            return .over(outcome)
        }
    }

    // MARK: Gateways

    /// Takes or renews the leases of adapters.
    ///
    /// - Returns: The server's time in milliseconds, and the tokens in the order of the adapters; nil if another gateway has one of
    ///   them.
    func hold(
        _ adapters: [AdapterFacts], for time: Duration, by gateway: String, read last: String
    ) async throws -> (time: Int, tokens: [Int])? {
        let pairs = try adapters.flatMap { [Array($0.name.utf8), Array(try JSONEncoder().encode($0))] }
        let start = [gateway, "\(time.inMilliseconds)", last].map { Array($0.utf8) }
        let words = try texts(await run(.holdAdapters, start + pairs))
        if words.first == "wait" { return nil }
        guard let time = words.first.flatMap({ Int($0) }), words.count == adapters.count + 1 else {
            throw Self.unreadable
        }
        return (time, words.dropFirst().compactMap { Int($0) })
    }

    func release(adapters: [String], of gateway: String) async throws {
        _ = try await run(.releaseAdapters, words: [gateway] + adapters)
    }

    /// Adds messages to a partition.
    ///
    /// - Parameters:
    ///   - token: That of the adapter's lease.
    ///   - first: The number of the first one; the numbers of an adapter's messages in a partition grow by one.
    /// - Returns: The ids of those that are in, empty if they were before; nil if another gateway has the adapter.
    func add(
        _ messages: [[UInt8]], from first: Int, of adapter: String, _ token: Int, to partition: Int, limit: StreamLimit
    ) async throws -> [String]? {
        let words = ["\(partition)", adapter, "\(token)", "\(first)"] + limit.words
        let reply = try await run(.hear, words.map { Array($0.utf8) } + messages)
        guard case .array = reply else { return nil }
        return try texts(reply)
    }

    func finish(_ call: QueuedCall, of adapter: String, _ outcome: CallOutcome) async throws {
        let json = Array(try LinkCoder.encode(GatewayFrame.result(call: 0, outcome)).json)
        switch call.origin {
        case .message(let partition, let entry, let place):
            let words = [adapter, call.id, "\(call.length)", "\(partition)", entry, place].map { Array($0.utf8) }
            _ = try await run(.performed, words + [json])
        case .worker(let worker, let number):
            let words = [adapter, call.id, "\(call.length)", worker, number].map { Array($0.utf8) }
            _ = try await run(.answered, words + [number.isEmpty ? [] : json])
        }
    }

    // MARK: Questions to workers

    /// Asks one of the workers something; false if there is none.
    func ask(_ question: GatewayFrame, by gateway: String) async throws -> Bool {
        let json = try LinkCoder.encode(question).json
        return try await run(.ask, [Array(gateway.utf8), json]) == .integer(1)
    }

    /// Answers a gateway.
    func answer(_ answer: WorkerFrame, to gateway: String) async throws {
        _ = try await run(.answer, [Array(gateway.utf8), try LinkCoder.encode(answer).json])
    }

    /// What all gateways and workers have at the moment.
    func overview() async throws -> LinkOverview {
        LinkOverview(try texts(await run(.overview, words: ["\(Partitions.count)"])))
    }

    // MARK: Reading

    /// Waits up to a second for what is new in streams.
    ///
    /// - Parameter streams: The names of the streams, and the ids after which they are read.
    /// - Returns: The ids and members of what is new, by the name of the stream, oldest first.
    func read(_ streams: [(name: String, after: String)], limit: Int) async throws -> [(String, [StreamEntry])] {
        let names = streams.map { prefix + Array($0.name.utf8) }
        let start = ["COUNT", "\(limit)", "BLOCK", "1000", "STREAMS"].map { Array($0.utf8) }
        let reply = try await reader.call(
            RedisCommand("XREAD", start + names + streams.map { Array($0.after.utf8) }), isRetryable: true)
        guard case .array(let found) = try checked(reply) else { return [] }
        return found.compactMap { stream in
            guard case .array(let parts) = stream, parts.count == 2, let key = parts[0].bytes,
                case .array(let entries) = parts[1]
            else { return nil }
            return (String(decoding: key.dropFirst(prefix.count), as: UTF8.self), entries.compactMap(StreamEntry.init))
        }
    }

    /// Has a process's reading begin again.
    func wake(_ process: String) async throws { _ = try await run(.wake, words: [process]) }

    // MARK: Helpers

    static func message(_ json: [UInt8]) -> Message? {
        guard case .message(let numbered)? = try? LinkCoder.gatewayFrame(FrameBytes(json: json)) else { return nil }
        return numbered.message
    }

    static func outcome(_ json: [UInt8]) -> CallOutcome? {
        guard case .result(_, let outcome)? = try? LinkCoder.gatewayFrame(FrameBytes(json: json)) else { return nil }
        return outcome
    }

    private static let tooLong = CallOutcome(
        failure: CallOutcome.Failure(AdapterError(.tooLong, "I can't pass that on, because it is too long")))

    private static let unreadable = StoreError(
        .failed, "Redis sent an unexpected reply", fix: "check that all processes are of the same version")

    private func run(_ script: LuaScript, words: [String]) async throws -> Reply {
        try await run(script, words.map { Array($0.utf8) })
    }

    private func run(_ script: LuaScript, _ words: [[UInt8]], isRetryable: Bool = true) async throws -> Reply {
        try checked(await client.run(script, [prefix], words, isRetryable: isRetryable))
    }

    private func checked(_ reply: Reply) throws -> Reply {
        guard case .error(let error) = reply else { return reply }
        // All others pass, such as that the memory or the disk is full, or that a replica is missing.
        let isPermanent = ["ERR", "WRONGTYPE", "NOPERM", "NOAUTH", "NOSCRIPT", "TOOLONG"].contains(error.code)
        throw StoreError(isPermanent ? .failed : .busy, "Redis refused a command: \(error.code) \(error.words)")
    }

    private func texts(_ reply: Reply) throws -> [String] {
        guard case .array(let parts) = reply else { throw Self.unreadable }
        return parts.map { $0.string ?? "" }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

extension StoreError {
    /// Whether the same call may succeed later.
    var passes: Bool {
        switch code {
        case .unavailable, .busy, .readOnly, .full: true
        default: false
        }
    }
}
