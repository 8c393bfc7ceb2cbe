import CSQLite
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The database of a brain: an open SQLite file, for use by one thread at a time.
///
/// Schema 1 has two tables: `memory` has single values by name, `memories` has collections by name and key. Values are JSON
/// in UTF-8. Schema 2 adds the time at which an entry of a collection is due, and an index of the entries that have one.
final class BrainDatabase {
    private static let schema = 2
    /// "Heyb", which distinguishes a brain from other SQLite files, also for `file`.
    private static let applicationID = 0x4865_7962
    /// The size of a page in bytes of values after which it ends; a single entry may be longer.
    private static let pageBytes = 4 << 20

    private let path: String
    private let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(path: String, pageLimit: Int?) throws(StoreError) {
        self.path = path
        Self.makeFile(path)
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &connection, flags, nil)
        guard let connection, result == SQLITE_OK else {
            sqlite3_close_v2(connection)
            throw StoreError(code: result, detail: String(cString: sqlite3_errstr(result)), path: path)
        }
        self.connection = connection
        sqlite3_busy_timeout(connection, 5_000)
        do throws(StoreError) {
            try prepareFile(pageLimit)
        } catch {
            close()
            throw error
        }
    }

    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(connection)
    }

    // MARK: Entries

    func value(for key: StoreKey) throws(StoreError) -> [UInt8]? {
        let query =
            key.collection == nil
            ? "SELECT value FROM memory WHERE name = ?1"
            : "SELECT value FROM memories WHERE collection = ?2 AND key = ?1"
        return try run(query, key) { $0.isRow ? $0.bytes(0) : nil }
    }

    func set(_ value: [UInt8]?, for key: StoreKey) throws(StoreError) {
        let query =
            switch (key.collection, value) {
            case (nil, nil): "DELETE FROM memory WHERE name = ?1"
            case (nil, _): "INSERT OR REPLACE INTO memory (name, value) VALUES (?1, ?3)"
            case (_, nil): "DELETE FROM memories WHERE collection = ?2 AND key = ?1"
            case (_, _): "INSERT OR REPLACE INTO memories (collection, key, value, due) VALUES (?2, ?1, ?3, ?4)"
            }
        try run(query, key, value, due: DueTime.of(value, for: key)) { _ in }
    }

    func firstDue(in collection: String, limit: Int) throws(StoreError) -> [DueEntry] {
        let query = "SELECT key, due FROM memories WHERE collection = ?2 AND due IS NOT NULL ORDER BY due, key"
        return try run(query, StoreKey(collection: collection, name: "")) { row throws(StoreError) in
            var entries: [DueEntry] = []
            while row.isRow, entries.count < max(limit, 1) {
                entries.append(DueEntry(key: row.text(0), time: row.integer(1)))
                try row.step()
            }
            return entries
        }
    }

    func page(of collection: String?, after cursor: String?, limit: Int) throws(StoreError) -> StorePage {
        let query =
            switch (collection, cursor) {
            case (nil, nil): "SELECT name, value FROM memory ORDER BY name"
            case (nil, _): "SELECT name, value FROM memory WHERE name > ?1 ORDER BY name"
            case (_, nil): "SELECT key, value FROM memories WHERE collection = ?2 ORDER BY key"
            case (_, _): "SELECT key, value FROM memories WHERE collection = ?2 AND key > ?1 ORDER BY key"
            }
        return try run(query, StoreKey(collection: collection, name: cursor ?? "")) { row throws(StoreError) in
            var page = StorePage(entries: [], next: nil)
            var bytes = 0
            while row.isRow {
                if page.entries.count >= max(limit, 1) || bytes >= Self.pageBytes {
                    page.next = page.entries.last?.key
                    break
                }
                page.entries.append((row.text(0), row.bytes(1)))
                bytes += page.entries.last?.value.count ?? 0
                try row.step()
            }
            return page
        }
    }

    func collections(
        after cursor: String?, limit: Int
    ) throws(StoreError) -> (names: [String], next: String?) {
        var names: [String] = []
        var last = cursor
        while true {
            // One name per query, which skips the entries of a collection, however many there are.
            let query =
                last == nil
                ? "SELECT collection FROM memories ORDER BY collection LIMIT 1"
                : "SELECT collection FROM memories WHERE collection > ?1 ORDER BY collection LIMIT 1"
            let found: String? = try run(query, StoreKey(name: last ?? "")) { $0.isRow ? $0.text(0) : nil }
            guard let name = found else { return (names, nil) }
            if names.count >= max(limit, 1) { return (names, last) }
            names.append(name)
            last = name
        }
    }

    // MARK: Transactions

    /// Begins a write transaction; waits up to five seconds while another process writes.
    func begin() -> StoreError? { execute("BEGIN IMMEDIATE") }

    func commit() -> StoreError? { execute("COMMIT") }

    func rollBack() {
        // Some errors end the transaction themselves.
        if sqlite3_get_autocommit(connection) == 0 { _ = execute("ROLLBACK") }
    }

    // MARK: File

    /// Creates the file with access only for its owner, whatever the umask; SQLite gives its other files the same mode.
    ///
    /// If that fails, opening the file reports why.
    private static func makeFile(_ path: String) {
        #if canImport(Darwin)
            let descriptor = Darwin.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { Darwin.close(descriptor) }
        #else
            // Without opening the file: closing a descriptor would release the locks that this process holds on it.
            _ = mknod(path, S_IFREG | 0o600, 0)
        #endif
    }

    private func prepareFile(_ pageLimit: Int?) throws(StoreError) {
        // Before anything is written: a file of another program or of a newer version stays unchanged.
        let found = try storedSchema()
        if sqlite3_db_readonly(connection, "main") == 1 { throw error(SQLITE_READONLY) }
        // FULL: a commit is on the disk when it returns, and survives a power failure.
        try executeOrThrow("PRAGMA synchronous = FULL")
        try setJournal()
        if let pageLimit { try executeOrThrow("PRAGMA max_page_count = \(pageLimit)") }
        guard found < Self.schema else { return }
        if let error = begin() { throw error }
        do throws(StoreError) {
            // Another process may have changed the schema in the meantime.
            let found = try storedSchema()
            if found < 1 {
                try executeOrThrow(
                    """
                    CREATE TABLE memory (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT;
                    CREATE TABLE memories (
                        collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
                        PRIMARY KEY (collection, key)
                    ) STRICT;
                    PRAGMA application_id = \(Self.applicationID);
                    """)
            }
            if found < 2 {
                try executeOrThrow(
                    """
                    ALTER TABLE memories ADD COLUMN due INTEGER;
                    CREATE INDEX memories_due ON memories (collection, due, key) WHERE due IS NOT NULL;
                    PRAGMA user_version = \(Self.schema);
                    """)
                try setDueTimes()
            }
            try executeOrThrow("COMMIT")
        } catch {
            rollBack()
            throw error
        }
    }

    /// Sets the times of timers that an older version has imported.
    private func setDueTimes() throws(StoreError) {
        for name in try collections(after: nil, limit: .max).names where DueTime.covers(name) {
            var cursor: String?
            repeat {
                let page = try self.page(of: name, after: cursor, limit: 200)
                for (key, value) in page.entries { try set(value, for: StoreKey(collection: name, name: key)) }
                cursor = page.next
            } while cursor != nil
        }
    }

    /// Returns the file's schema version, 0 if it is new and empty; throws if it isn't a brain of this version or an older one.
    private func storedSchema() throws(StoreError) -> Int {
        if try number("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
        guard try number("PRAGMA application_id") == Self.applicationID else {
            throw StoreError(
                .damaged, "\(path) is an SQLite database, but not a Heybot brain", fix: "choose another file")
        }
        let version = try number("PRAGMA user_version")
        guard version <= Self.schema else {
            throw StoreError(
                .tooNew,
                "\(path) was written by a newer Heybot (the brain's schema version is \(version); this Heybot supports \(Self.schema))",
                fix: "run the newer version, or choose another file")
        }
        return version
    }

    private func setJournal() throws(StoreError) {
        // Switching to WAL needs exclusive access and ignores the busy timeout, so two simultaneous first starts have to
        // retry.
        for _ in 0..<50 {
            guard let error = execute("PRAGMA journal_mode = WAL") else { return }
            guard error.code == .busy else { throw error }
            sqlite3_sleep(100)
        }
        throw error(SQLITE_BUSY)
    }

    // MARK: Statements

    private func executeOrThrow(_ sql: String) throws(StoreError) {
        if let error = execute(sql) { throw error }
    }

    private func execute(_ sql: String) -> StoreError? {
        let result = sqlite3_exec(connection, sql, nil, nil, nil)
        return result == SQLITE_OK ? nil : error(result)
    }

    private func number(_ query: String) throws(StoreError) -> Int {
        try run(query, nil) { Int($0.integer(0)) }
    }

    /// Runs a query with the key's name as ?1, its collection as ?2, the value as ?3 and its time as ?4, and passes its first
    /// row to a closure.
    private func run<Result>(
        _ query: String, _ key: StoreKey?, _ value: [UInt8]? = nil, due: Int64? = nil,
        _ read: (StatementCursor) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let statement = try prepare(query)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        if let key {
            try bind(key.name, statement, 1)
            if let collection = key.collection { try bind(collection, statement, 2) }
        }
        if let value { try bind(value, statement) }
        if let due { try bind(due, statement) }
        let row = StatementCursor(statement: statement, fail: error)
        try row.step()
        return try read(row)
    }

    private func prepare(_ query: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[query] { return statement }
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(
            connection, query, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw error(result) }
        statements[query] = statement
        return statement
    }

    private func bind(_ text: String, _ statement: OpaquePointer, _ index: Int32) throws(StoreError) {
        // With its length, because the text may contain NUL.
        let result = sqlite3_bind_text64(
            statement, index, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
        // The statement doesn't use this parameter.
        guard result == SQLITE_OK || result & 0xff == SQLITE_RANGE else { throw error(result) }
    }

    private func bind(_ value: [UInt8], _ statement: OpaquePointer) throws(StoreError) {
        let result = value.withUnsafeBytes {
            if let base = $0.baseAddress, !$0.isEmpty {
                sqlite3_bind_blob64(statement, 3, base, UInt64($0.count), transient)
            } else {
                sqlite3_bind_zeroblob(statement, 3, 0)
            }
        }
        guard result == SQLITE_OK else { throw error(result) }
    }

    private func bind(_ due: Int64, _ statement: OpaquePointer) throws(StoreError) {
        let result = sqlite3_bind_int64(statement, 4, due)
        guard result == SQLITE_OK else { throw error(result) }
    }

    private func error(_ code: Int32) -> StoreError {
        StoreError(code: code, detail: String(cString: sqlite3_errmsg(connection)), path: path)
    }
}

/// `SQLITE_TRANSIENT`: SQLite copies what is bound.
///
/// In C it is a cast of -1, which Swift can't import. The cast is safe because SQLite only compares the pointer and never
/// calls it.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A running statement, at one of its rows or after the last one.
private final class StatementCursor {
    private let statement: OpaquePointer
    private let fail: (Int32) -> StoreError
    private(set) var isRow = false

    init(statement: OpaquePointer, fail: @escaping (Int32) -> StoreError) {
        self.statement = statement
        self.fail = fail
    }

    func step() throws(StoreError) {
        let result = sqlite3_step(statement)
        guard result == SQLITE_ROW || result == SQLITE_DONE else { throw fail(result) }
        isRow = result == SQLITE_ROW
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let blob = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

extension StoreError {
    /// `SQLITE_IOERR_SHMSIZE`, which isn't imported into Swift: the shared-memory file can't grow.
    private static let noRoomBeside = SQLITE_IOERR | 19 << 8

    /// Converts a result code to an error for the operator.
    init(code: Int32, detail: String, path: String) {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                .busy, "\(path) has been locked by another program for over 5 s", fix: "close that program, or wait"
            )
        case SQLITE_FULL,
            _ where code == Self.noRoomBeside:
            self.init(.full, "\(path) can't grow: its disk is full", fix: "free some space")
        case SQLITE_READONLY, SQLITE_PERM:
            self.init(
                .readOnly, "\(path) is read-only",
                fix: "check the permissions of the file and its directory")
        case SQLITE_CANTOPEN:
            self.init(
                .unavailable, "\(path) can't be opened", fix: "check that its directory exists and is writable")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(
                .damaged,
                "\(path) is damaged, or isn't a database (\(detail))",
                fix: "restore a backup, or choose another file"
            )
        case SQLITE_TOOBIG:
            self.init(.tooLong, "a value is too long for \(path)")
        default:
            self.init(.failed, "\(path) failed: \(detail) (SQLite \(code))")
        }
    }
}
