/// The storage of a brain: bytes under keys, which may be grouped in collections.
///
/// What every store must keep to is written down as tests, the `StoreConformanceTest`s in HeybotTesting:
///
/// - When `set` or `compareAndSet` returns, the change is durable.
/// - `compareAndSet` is atomic, also between processes that share the store.
/// - Names and keys are compared by their UTF-8 bytes; any string is valid, including the empty one.
/// - A value has 0 to ``BrainLimits/valueBytes`` bytes.
/// - Each change of a timer also changes the index that `firstDue` reads, atomically.
///
/// All calls throw ``StoreError``. They may come from many tasks at once, and must not block the caller's thread.
public protocol Store: Sendable {
    /// Opens the store; called once, before anything else.
    func open() async throws

    /// Closes the store once all calls that were started have finished. Later calls throw ``StoreError/Code/closed``.
    func close() async

    /// Returns the value; nil if there is none.
    func value(for key: StoreKey) async throws -> [UInt8]?

    /// Sets the value, or deletes the entry if the value is nil.
    func set(_ value: [UInt8]?, for key: StoreKey) async throws

    /// Sets the value if the present one equals `expected` byte by byte. Nil means no entry.
    ///
    /// - Returns: Whether the value was set.
    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool

    /// Returns a page of a collection's entries, or of the single values if the collection is nil, in unspecified order.
    ///
    /// Start with a nil cursor and continue with each page's `next` until that is nil. An entry that exists throughout the
    /// iteration occurs at least once. One that is added or deleted meanwhile may be missing.
    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage

    /// Returns a page of the names of collections that have entries, each once, in unspecified order.
    ///
    /// Start with a nil cursor and continue with `next` until that is nil, as with the entries of a collection.
    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?)

    /// Returns the entries of a collection that are due first, each once, earliest first.
    ///
    /// Only the collections that ``DueTime`` covers have such entries. A store keeps an index of them, so that their number
    /// doesn't affect how long this takes: `set` and `compareAndSet` take an entry's time from ``DueTime/of(_:for:)``.
    ///
    /// The default implementation needs no index: it reads the whole collection.
    func firstDue(in collection: String, limit: Int) async throws -> [DueEntry]
}

/// The key of one entry in a store.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The collection of the entry; nil for a single value.
    public let collection: String?
    /// The name of the value, or its key in the collection.
    public let name: String

    /// Creates the key of an entry of a collection, or of a single value.
    public init(collection: String? = nil, name: String) {
        self.collection = collection
        self.name = name
    }

    public var description: String {
        if let collection { "\(collection)[\(name)]" } else { name }
    }
}

/// A page of a collection's entries, and the cursor for the next page.
public struct StorePage: Sendable {
    /// The entries, each key once.
    public var entries: [(key: String, value: [UInt8])]
    /// The cursor for the next page; nil if this is the last one.
    public var next: String?

    /// Creates a page.
    public init(entries: [(key: String, value: [UInt8])], next: String?) {
        self.entries = entries
        self.next = next
    }
}

/// The size limits of a brain.
public enum BrainLimits {
    /// The maximum size of an encoded value: 16 MiB.
    public static let valueBytes = 16 << 20

    /// Checks the size of a value.
    ///
    /// - Throws: ``StoreError`` with the code ``StoreError/Code/tooLong`` and the key in its reason.
    public static func check(_ value: [UInt8]?, for key: StoreKey) throws(StoreError) {
        guard let value, value.count > valueBytes else { return }
        throw StoreError(.tooLong, "the value for \(key) has \(value.count) bytes; the maximum is \(valueBytes)")
    }
}

/// The reason why a store failed, in one line for the robot's operator.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, which determines how to handle it.
    public enum Code: Hashable, Sendable {
        /// The store can't be reached or opened.
        case unavailable
        /// The server's identity can't be verified.
        case untrusted
        /// Another process has locked the store for longer than the timeout.
        case busy
        /// There is no space left.
        case full
        /// Access is denied, or this operation isn't permitted.
        case refused
        /// The store is read-only.
        case readOnly
        /// The data was written by a newer version.
        case tooNew
        /// The data is corrupt, or isn't a brain.
        case damaged
        /// The value is longer than ``BrainLimits/valueBytes``.
        case tooLong
        /// The store has been closed.
        case closed
        /// Anything else.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong, with the name of the thing.
    public let reason: String
    /// How to fix it; nil if there is no advice.
    public let fix: String?
    private let joint: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - reason: What is wrong, with the name of the thing.
    ///   - fix: How to fix it.
    public init(_ code: Code, _ reason: String, fix: String? = nil) {
        self.init(code, reason, joint: ": ", fix: fix)
    }

    /// Creates an error whose reason and fix are joined by other text than a colon.
    package init(_ code: Code, _ reason: String, joint: String, fix: String?) {
        self.code = code
        self.reason = reason
        self.fix = fix
        self.joint = joint
    }

    /// The reason and the fix in one line.
    public var description: String { fix.map { reason + joint + $0 } ?? reason }
}

extension StoreError: UserFacingError {
    /// A sentence for the user, without the store's details.
    public var userMessage: String {
        switch code {
        case .unavailable, .untrusted, .busy, .refused, .closed: "My memory isn't available just now."
        case .full, .readOnly: "I can't store anything new just now."
        case .tooLong: "That's too long for me to remember."
        case .tooNew, .damaged, .failed: "Something is wrong with my memory just now."
        }
    }

    /// True: an error of the store is logged and counted.
    public var isFailure: Bool { true }
}
