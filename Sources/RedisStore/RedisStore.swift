public import Heybot
import HeybotSockets
public import Logging

/// A brain in Redis, which any number of processes may share.
///
/// Each entry is a field of a hash, and each change one small command, however large the brain; nothing of it is kept in
/// this process. Calls of many tasks go over one connection without waiting for each other.
///
/// A change is in Redis when its call returns; that it outlives a crash of Redis itself is for its own settings to see to
/// (`appendonly yes`, and `appendfsync always` if not even the last second may be lost).
///
/// While Redis is away a call waits until its deadline is over. A read whose answer was lost is made once more; a change
/// isn't, and its error says that nobody knows whether it was made.
public final class RedisStore: Store {
    /// Where it is, and how to deal with it.
    public let configuration: Configuration
    let layout: Layout
    private let client: Client
    private let logger: Logger

    /// Makes a store that ``open()`` connects.
    public init(_ configuration: Configuration, logger: Logger = Logger(label: "heybot.redis")) {
        self.configuration = configuration
        self.logger = logger
        layout = Layout(configuration.address)
        client = Client(configuration, logger)
    }

    /// Connects, and waits for Redis if it's away, as long as there's patience.
    ///
    /// What only a person can mend, such as a wrong password, is thrown at once.
    public func open() async throws {
        if try configuration.tls()?.trust == .anyone {
            logger.warning(
                "any certificate of Redis' is taken, so anyone in between can read and change the brain: pin its fingerprint"
            )
        }
        try await client.open()
        if configuration.tellsRisks { await tellRisks() }
    }

    public func close() async {
        await client.close()
    }

    public func value(for key: StoreKey) async throws -> [UInt8]? {
        let hash = layout.hash(key.collection)
        switch try await ask(Command("HGET", [hash, Array(key.name.utf8)]), at: hash) {
        case .text(let value): return value
        case .nothing: return nil
        default: throw odd
        }
    }

    public func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try BrainLimits.check(value, for: key)
        let (hash, name) = (layout.hash(key.collection), Array(key.name.utf8))
        let command = value.map { Command("HSET", [hash, name, $0]) } ?? Command("HDEL", [hash, name])
        // Another process may have changed it since: done twice, that would undo theirs.
        _ = try await ask(command, at: hash, mayRepeat: false)
    }

    public func compareAndSet(
        _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
    ) async throws -> Bool {
        try BrainLimits.check(value, for: key)
        let hash = layout.hash(key.collection)
        func argument(_ value: [UInt8]?) -> [[UInt8]] { [Array((value == nil ? "0" : "1").utf8), value ?? []] }
        let arguments = [Array(key.name.utf8)] + argument(expected) + argument(value)
        switch try await run(.compareAndSet, [hash], arguments, mayRepeat: false) {
        case .integer(let count): return count == 1
        default: throw odd
        }
    }

    // MARK: Walks

    /// How many bytes of a page are enough.
    private static let pageBytes = 1 << 20

    public func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        let (run, position) = Self.halves(cursor)
        let arguments = [run, position, "\(max(limit, 1))", "\(Self.pageBytes)"].map { Array($0.utf8) }
        let reply = try await self.run(.page, [layout.hash(collection)], arguments)
        guard let (next, found) = Self.step(reply), found.count % 2 == 0 else { throw odd }
        // While a hash grows or shrinks, a walk may come by a field twice.
        var keys: Set<[UInt8]> = []
        var page = StorePage(entries: [], next: next)
        for index in stride(from: 0, to: found.count, by: 2) {
            guard let key = found[index].bytes, let value = found[index + 1].bytes else { throw odd }
            if keys.insert(key).inserted { page.entries.append((String(decoding: key, as: UTF8.self), value)) }
        }
        return page
    }

    /// Walks all keys of the database, in however many steps that takes.
    public func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        var found: Set<[UInt8]> = []
        var position: String?
        repeat {
            let (run, cursor) = Self.halves(position)
            let reply = try await self.run(.names, [], [run, cursor, layout.collections].map { Array($0.utf8) })
            guard let (next, keys) = Self.step(reply) else { throw odd }
            for key in keys { if let bytes = key.bytes { found.insert(bytes) } }
            position = next
        } while position != nil
        let after = cursor.map { Array($0.utf8) }
        let names = found.compactMap { key in layout.collection(key).map { Array($0.utf8) } }
            .filter { name in after.map { $0.lexicographicallyPrecedes(name) } ?? true }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let page = names.prefix(max(limit, 1)).map { String(decoding: $0, as: UTF8.self) }
        return (page, names.count > page.count ? page.last : nil)
    }

    /// A cursor is good for one run of the server only, so that ours names it too.
    private static func halves(_ cursor: String?) -> (run: String, position: String) {
        let halves = cursor?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        return halves.count == 2 ? (halves[0], halves[1]) : ("", "0")
    }

    /// Reads a script's step of a walk: where the next one begins, and what was found.
    private static func step(_ reply: Reply) -> (next: String?, found: [Reply])? {
        guard case .array(let parts) = reply, parts.count == 3, let run = parts[0].string,
            let position = parts[1].string, case .array(let found) = parts[2]
        else { return nil }
        return (position == "0" ? nil : "\(run) \(position)", found)
    }

    // MARK: At the beginning

    /// Warns of settings of the server's with which it may forget.
    private func tellRisks() async {
        guard let reply = try? await client.call(Command("INFO"), mayRepeat: true), let info = reply.bytes else {
            return
        }
        let lines = String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline)
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.utf8.count + 1)
        }
        if let policy = value("maxmemory_policy"), policy.hasPrefix("allkeys"), value("maxmemory") != "0" {
            logger.warning(
                "Redis throws old keys away when its memory is full (maxmemory-policy \(policy)), the brain too: set noeviction"
            )
        }
        if value("aof_enabled") == "0" {
            logger.notice(
                "Redis keeps no append-only file, so what was remembered last may be lost when it crashes: set appendonly yes"
            )
        }
    }

    // MARK: How

    func ask(_ command: Command, at key: [UInt8]? = nil, mayRepeat: Bool = true) async throws -> Reply {
        try result(await client.call(command, mayRepeat: mayRepeat), key)
    }

    func run(
        _ script: Script, _ keys: [[UInt8]], _ arguments: [[UInt8]], mayRepeat: Bool = true
    ) async throws -> Reply {
        let rest = [Array("\(keys.count)".utf8)] + keys + arguments
        let reply = try await client.call(
            Command("EVALSHA", [Array(script.hash.utf8)] + rest),
            otherwise: Command("EVAL", [Array(script.text.utf8)] + rest), mayRepeat: mayRepeat)
        return try result(reply, keys.first)
    }

    private func result(_ reply: Reply, _ key: [UInt8]?) throws -> Reply {
        guard case .error(let error) = reply else { return reply }
        let key = key.map { String(decoding: $0, as: UTF8.self) }
        throw error.trouble(at: server, key: key).storeError
    }

    /// The one to name: of Sentinels, the first.
    private var server: Server {
        switch configuration.address.place {
        case .server(let host): Server(host.endpoint)
        case .socket(let path): Server(Endpoint(path: path))
        case .sentinels(let hosts, let master): Server(hosts.first?.endpoint ?? Endpoint(host: master, port: 0))
        }
    }

    var odd: StoreError {
        StoreError(
            .failed, "Redis at \(configuration.address) answers something that wasn't asked",
            cure: "is it another program?")
    }
}
