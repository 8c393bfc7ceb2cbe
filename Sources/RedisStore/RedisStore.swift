public import Heybot
import HeybotSockets
public import Logging

/// A brain in Redis, which any number of processes can share.
///
/// Each entry is a field of a hash, and each change is one small command, however large the brain is; nothing is cached in
/// this process. The calls of many tasks are pipelined over one connection.
///
/// When a call returns, its change is in Redis. Whether it survives a crash of Redis depends on the configuration of Redis
/// (`appendonly yes`, and `appendfsync always` if not even the last second may be lost).
///
/// While Redis is unavailable, calls wait until their timeout. A read whose reply was lost is repeated; a change isn't, and
/// its error says that it may have been made or not.
public final class RedisStore: Store {
    /// The store's configuration.
    public let configuration: Configuration
    let schema: KeySchema
    private let client: RedisClient
    private let logger: Logger

    /// Creates a store, which ``open()`` connects.
    public init(_ configuration: Configuration, logger: Logger = Logger(label: "heybot.redis")) {
        self.configuration = configuration
        self.logger = logger
        schema = KeySchema(configuration.address)
        client = RedisClient(configuration, logger)
    }

    /// Connects, and waits until Redis is available or the timeout has passed.
    ///
    /// - Throws: ``StoreError``; at once if waiting is useless, for example because of a wrong password.
    public func open() async throws {
        if try configuration.tls()?.trust == .anyone {
            logger.warning(
                "certificate verification is disabled for Redis, so others can read and change the brain: pin the certificate's fingerprint"
            )
        }
        try await client.open()
        if configuration.warnsOfDataLoss { await warnOfDataLoss() }
    }

    public func close() async {
        await client.close()
    }

    public func value(for key: StoreKey) async throws -> [UInt8]? {
        let hash = schema.hash(key.collection)
        switch try await execute(RedisCommand("HGET", [hash, Array(key.name.utf8)]), at: hash) {
        case .text(let value): return value
        case .nothing: return nil
        default: throw unexpectedReply
        }
    }

    public func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try BrainLimits.check(value, for: key)
        if DueTime.covers(key.collection) {
            _ = try await change(key, to: value, expecting: [Array("*".utf8), []])
            return
        }
        let (hash, name) = (schema.hash(key.collection), Array(key.name.utf8))
        let command = value.map { RedisCommand("HSET", [hash, name, $0]) } ?? RedisCommand("HDEL", [hash, name])
        // Not retryable: another process may have changed the value since, and a second write would overwrite that.
        _ = try await execute(command, at: hash, isRetryable: false)
    }

    public func compareAndSet(
        _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
    ) async throws -> Bool {
        try BrainLimits.check(value, for: key)
        return try await change(key, to: value, expecting: Self.arguments(expected))
    }

    /// Changes a value and, if it is a timer, its time, if it is what the arguments expect.
    private func change(_ key: StoreKey, to value: [UInt8]?, expecting expected: [[UInt8]]) async throws -> Bool {
        var keys = [schema.hash(key.collection)]
        var arguments = [Array(key.name.utf8)] + expected + Self.arguments(value)
        if let collection = key.collection, DueTime.covers(collection) {
            keys.append(schema.due(collection))
            let time = DueTime.of(value, for: key)
            arguments.append(Array((time.map { "\($0)" } ?? "").utf8))
        }
        switch try await run(.compareAndSet, keys, arguments, isRetryable: false) {
        case .integer(let count): return count == 1
        default: throw unexpectedReply
        }
    }

    /// The arguments that stand for a value, or for no value.
    private static func arguments(_ value: [UInt8]?) -> [[UInt8]] {
        [Array((value == nil ? "0" : "1").utf8), value ?? []]
    }

    // MARK: Timers

    public func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        let key = schema.due(collection)
        let range = ["0", "\(max(limit, 1) - 1)", "WITHSCORES"].map { Array($0.utf8) }
        guard case .array(let parts) = try await execute(RedisCommand("ZRANGE", [key] + range), at: key),
            parts.count % 2 == 0
        else { throw unexpectedReply }
        return try stride(from: 0, to: parts.count, by: 2).map { index in
            guard let name = parts[index].string, let score = parts[index + 1].string, let time = Double(score),
                let seconds = Int64(exactly: time.rounded(.down))
            else { throw unexpectedReply }
            return DueEntry(key: name, time: seconds)
        }
    }

    // MARK: Scans

    /// The size of a page in bytes after which it ends.
    private static let pageBytes = 1 << 20

    public func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        let (run, position) = Self.splitCursor(cursor)
        let arguments = [run, position, "\(max(limit, 1))", "\(Self.pageBytes)"].map { Array($0.utf8) }
        let reply = try await self.run(.page, [schema.hash(collection)], arguments)
        guard let (next, found) = Self.parseStep(reply), found.count % 2 == 0 else { throw unexpectedReply }
        // While a hash grows or shrinks, HSCAN may return a field twice.
        var keys: Set<[UInt8]> = []
        var page = StorePage(entries: [], next: next)
        for index in stride(from: 0, to: found.count, by: 2) {
            guard let key = found[index].bytes, let value = found[index + 1].bytes else { throw unexpectedReply }
            if keys.insert(key).inserted { page.entries.append((String(decoding: key, as: UTF8.self), value)) }
        }
        return page
    }

    /// Scans all keys of the database, in several steps.
    public func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        var found: Set<[UInt8]> = []
        var position: String?
        repeat {
            let (run, cursor) = Self.splitCursor(position)
            let reply = try await self.run(.names, [], [run, cursor, schema.collections].map { Array($0.utf8) })
            guard let (next, keys) = Self.parseStep(reply) else { throw unexpectedReply }
            for key in keys { if let bytes = key.bytes { found.insert(bytes) } }
            position = next
        } while position != nil
        let after = cursor.map { Array($0.utf8) }
        let names = found.compactMap { key in schema.collection(key).map { Array($0.utf8) } }
            .filter { name in after.map { $0.lexicographicallyPrecedes(name) } ?? true }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let page = names.prefix(max(limit, 1)).map { String(decoding: $0, as: UTF8.self) }
        return (page, names.count > page.count ? page.last : nil)
    }

    /// A cursor is only valid for one run of the server, so it includes the run id.
    private static func splitCursor(_ cursor: String?) -> (run: String, position: String) {
        let parts = cursor?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        return parts.count == 2 ? (parts[0], parts[1]) : ("", "0")
    }

    /// Parses the result of a scan script: the next cursor, and what was found.
    private static func parseStep(_ reply: Reply) -> (next: String?, found: [Reply])? {
        guard case .array(let parts) = reply, parts.count == 3, let run = parts[0].string,
            let position = parts[1].string, case .array(let found) = parts[2]
        else { return nil }
        return (position == "0" ? nil : "\(run) \(position)", found)
    }

    // MARK: Warnings

    /// Warns about settings of the server that may lose data.
    private func warnOfDataLoss() async {
        guard let reply = try? await client.call(RedisCommand("INFO"), isRetryable: true), let info = reply.bytes else {
            return
        }
        let lines = String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline)
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.utf8.count + 1)
        }
        if let policy = value("maxmemory_policy"), policy.hasPrefix("allkeys"), value("maxmemory") != "0" {
            logger.warning(
                """
                when its memory is full, Redis evicts keys, including the brain's: set maxmemory-policy to noeviction, not \(policy)
                """
            )
        }
        if value("aof_enabled") == "0" {
            logger.notice(
                "Redis has no append-only file, so the latest changes may be lost if it crashes: set appendonly yes"
            )
        }
    }

    // MARK: Helpers

    func execute(_ command: RedisCommand, at key: [UInt8]? = nil, isRetryable: Bool = true) async throws -> Reply {
        try result(await client.call(command, isRetryable: isRetryable), key)
    }

    func run(
        _ script: LuaScript, _ keys: [[UInt8]], _ arguments: [[UInt8]], isRetryable: Bool = true
    ) async throws -> Reply {
        try result(await client.run(script, keys, arguments, isRetryable: isRetryable), keys.first)
    }

    private func result(_ reply: Reply, _ key: [UInt8]?) throws -> Reply {
        guard case .error(let error) = reply else { return reply }
        let key = key.map { String(decoding: $0, as: UTF8.self) }
        throw error.redisError(at: server, key: key).storeError
    }

    /// The server for error messages; of several Sentinels, the first.
    private var server: ServerNameInErrors {
        switch configuration.address.location {
        case .server(let host): ServerNameInErrors(host.endpoint)
        case .socket(let path): ServerNameInErrors(Endpoint(path: path))
        case .sentinels(let hosts, let master):
            ServerNameInErrors(hosts.first?.endpoint ?? Endpoint(host: master, port: 0))
        }
    }

    var unexpectedReply: StoreError {
        StoreError(
            .failed, "Redis at \(configuration.address) sent an unexpected reply",
            fix: "check that it is a Redis server")
    }
}
