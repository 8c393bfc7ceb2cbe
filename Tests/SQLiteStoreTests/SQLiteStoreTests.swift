import CSQLite
import Foundation
import Heybot
import HeybotTesting
import SQLiteStore
import TestServers
import Testing

@Suite(.timeLimit(.minutes(15))) struct SQLiteStoreTests {
    let folder: URL
    var path: String { folder.appending(path: "brain.sqlite").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    @Test(arguments: StoreConformanceTest.all) func `the store conforms to the conformance suite`(
        _ law: StoreConformanceTest
    )
        async throws
    {
        defer { cleanUp() }
        let path = path
        try await law.check { SQLiteStore(path: path) }
    }

    // MARK: Several processes

    private var processes: ProcessLaws {
        let path = path
        return ProcessLaws("sqlite:\(path)") { SQLiteStore(path: path) }
    }

    @Test func `two processes lose no updates`() async throws {
        defer { cleanUp() }
        try await processes.processesLoseNoUpdate(times: 200)
    }

    /// Many rounds with `bin/test --soak`.
    @Test func `kill -9 reverts no update, and leaves none incomplete`() async throws {
        defer { cleanUp() }
        let rounds = Soak.rounds(50, soak: 1_000)
        let total = try await processes.killingLosesNothing(rounds: rounds)
        print("kill -9: \(rounds) rounds, \(total) acknowledged updates, none lost")
        #expect(total >= rounds)
    }

    // MARK: Errors, in one line that names the file and the fix

    @Test func `a missing folder`() async {
        await fails(
            .unavailable, "can't be opened: check that its directory exists", folder.path + "/none/brain.sqlite")
    }

    @Test func `a file that isn't a database is left unchanged`() async throws {
        defer { cleanUp() }
        let text = String(repeating: "Dear diary, ", count: 100)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        await fails(.damaged, "is damaged, or isn't a database", path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `another program's database is left unchanged`() async throws {
        defer { cleanUp() }
        try sqlite("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')")
        let before = try Data(contentsOf: URL(filePath: path))
        await fails(.damaged, "is an SQLite database, but not a Heybot brain", path)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a brain of a newer version is left unchanged`() async throws {
        defer { cleanUp() }
        try await withBrain { try await $0.remember(BrainKey<Int>("n"), 1) }
        try sqlite("PRAGMA user_version = 3")
        let before = try Data(contentsOf: URL(filePath: path))
        await fails(
            .tooNew, "was written by a newer Heybot (the brain's schema version is 3; this Heybot supports 2)", path)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `a brain of the first version is used, and gets an index of timers`() async throws {
        defer { cleanUp() }
        try sqlite(
            """
            CREATE TABLE memory (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT;
            CREATE TABLE memories (
                collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (collection, key)
            ) STRICT;
            INSERT INTO memory VALUES ('n', CAST('1' AS BLOB));
            INSERT INTO memories VALUES ('c', 'k', CAST('2' AS BLOB));
            INSERT INTO memories VALUES ('heybot.timers.tea', 'imported', CAST('\(Self.timer(second: 9))' AS BLOB));
            PRAGMA application_id = 1214609762;
            PRAGMA user_version = 1;
            """)
        let store = SQLiteStore(path: path)
        try await HeybotTesting.withBrain(store) { brain in
            #expect(try await brain.recall(BrainKey<Int>("n")) == 1)
            #expect(try await brain.recall(BrainCollection<Int>("c"), "k") == 2)
            let timer = Array(Self.timer(second: 7).utf8)
            try await store.set(timer, for: StoreKey(collection: "heybot.timers.tea", name: "k"))
            let due = try await store.firstDue(in: "heybot.timers.tea", limit: 3)
            #expect(
                due == [DueEntry(key: "k", time: 1_893_456_007), DueEntry(key: "imported", time: 1_893_456_009)])
        }
        try await withBrain {
            let value = try await $0.recall(BrainCollection<Int>("c"), "k")
            #expect(value == 2)
        }
    }

    /// A timer that is due in the first ten seconds of 2030.
    private static func timer(second: Int) -> String {
        let due = "2030-01-01T00:00:0\(second)Z"
        return #"{"attempts":0,"date":"\#(due)","due":"\#(due)","payload":"{}"}"#
    }

    @Test func `a damaged brain is reported when the damage is read, and isn't overwritten`() async throws {
        defer { cleanUp() }
        try await withBrain { brain in
            for number in 0..<200 {
                try await brain.remember(BrainCollection<String>("c"), "\(number)", String(repeating: "x", count: 500))
            }
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        for index in 8_192..<bytes.count { bytes[index] = 0xa5 }
        try bytes.write(to: URL(filePath: path))
        do {
            try await withBrain { brain in
                for try await _ in brain.entries(BrainCollection<String>("c")) {}
                Issue.record("it was read")
            }
        } catch {
            #expect((error as? StoreError)?.code == .damaged)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test func `a full disk refuses writes, and the data is kept`() async throws {
        defer { cleanUp() }
        let brain = Brain(store: SQLiteStore(path: path, pageLimit: 20))
        try await brain.open()
        let memories = BrainCollection<String>("c")
        try await brain.remember(memories, "first", "kept")
        do {
            for number in 0..<100 {
                try await brain.remember(memories, "\(number)", String(repeating: "x", count: 2_000))
            }
            Issue.record("there was room")
        } catch {
            #expect((error as? StoreError)?.code == .full)
            #expect("\(error)".contains(path))
        }
        #expect(try await brain.recall(memories, "first") == "kept")
        await brain.close()
    }

    @Test func `many simultaneous writes on a full disk: those that fit are kept`() async throws {
        defer { cleanUp() }
        let store = SQLiteStore(path: path, pageLimit: 40)
        try await store.open()
        let value = [UInt8](repeating: 7, count: 2_000)
        let taken = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do {
                        try await store.set(value, for: StoreKey(collection: "c", name: "\(number)"))
                        return number
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
        }
        #expect(!taken.isEmpty && taken.count < 200)
        let page = try await store.page(of: "c", after: nil, limit: 1_000)
        #expect(Set(page.entries.map(\.key)) == Set(taken.map(String.init)))
        await store.close()
    }

    @Test func `a file that is locked for over five seconds`() async throws {
        defer { cleanUp() }
        try await withBrain { try await $0.remember(BrainKey<Int>("n"), 1) }
        let lock = try Connection(path)
        try lock.run("BEGIN IMMEDIATE")
        try await withBrain { brain in
            do {
                try await brain.remember(BrainKey<Int>("n"), 2)
                Issue.record("it was written")
            } catch {
                #expect((error as? StoreError)?.code == .busy)
                #expect("\(error)".contains("\(path) has been locked by another program for over 5 s"))
            }
            #expect(try await brain.recall(BrainKey<Int>("n")) == 1)
            try lock.run("ROLLBACK")
            try await brain.remember(BrainKey<Int>("n"), 3)
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can switch to an unprivileged user"))
    func `a read-only file`() async throws {
        defer { cleanUp() }
        try await withBrain { try await $0.remember(BrainKey<Int>("n"), 1) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        let worker = try Worker(["count", "sqlite:\(path)", "1"], asNobody: true)
        #expect(await worker.end() != 0)
        #expect(worker.output.contains("\(path) is read-only: check the permissions"))
    }

    // MARK: Helpers

    private func withBrain(_ body: (Brain) async throws -> Void) async throws {
        try await HeybotTesting.withBrain(SQLiteStore(path: path), body)
    }

    private func fails(_ code: StoreError.Code, _ words: String, _ path: String) async {
        do {
            try await SQLiteStore(path: path).open()
            Issue.record("it was opened")
        } catch {
            #expect((error as? StoreError)?.code == code)
            #expect("\(error)".contains(words) && "\(error)".contains(path), "\(error)")
        }
    }

    private func sqlite(_ sql: String) throws { try Connection(path).run(sql) }
}

/// Another program's connection to the file.
private final class Connection {
    private var connection: OpaquePointer?

    init(_ path: String) throws {
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw StoreError(.failed, "sqlite3_open") }
    }

    deinit { sqlite3_close(connection) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw StoreError(.failed, sql) }
    }
}
