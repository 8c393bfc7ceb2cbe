import Heybot
import HeybotSockets
import HeybotTesting
import RedisStore
import TestServers

/// Returns a configuration with short delays, and with a timeout that only a hang reaches.
func configuration(_ url: String, _ change: (inout RedisStore.Configuration) -> Void = { _ in }) throws
    -> RedisStore.Configuration
{
    var configuration = RedisStore.Configuration(try RedisAddress(url))
    configuration.callTimeout = .testLimit
    configuration.reconnect = .init(first: .milliseconds(5), longest: .milliseconds(50), stable: .seconds(1))
    change(&configuration)
    return configuration
}

/// Returns a store that logs to a test.
func store(
    _ url: String, log: TestLog = TestLog(), _ change: (inout RedisStore.Configuration) -> Void = { _ in }
) throws -> RedisStore {
    RedisStore(try configuration(url, change), logger: log.logger)
}

/// Opens a store while the body runs.
func withStore(
    _ url: String, log: TestLog = TestLog(), _ change: (inout RedisStore.Configuration) -> Void = { _ in },
    _ body: (RedisStore) async throws -> Void
) async throws {
    let store = try store(url, log: log, change)
    try await store.open()
    do {
        try await body(store)
    } catch {
        await store.close()
        throw error
    }
    await store.close()
}

extension RunningServer {
    /// The server's URL, without TLS.
    var url: String { "redis://\(host):\(port)" }
}

/// Returns the store's error of a body that is expected to fail.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}

enum StoreWalk {
    /// Returns all names that a scan finds.
    static func all(_ page: (String?) async throws -> (names: [String], next: String?)) async throws -> Set<String> {
        var all: Set<String> = []
        var cursor: String?
        repeat {
            let (names, next) = try await page(cursor)
            all.formUnion(names)
            cursor = next
        } while cursor != nil
        return all
    }
}
