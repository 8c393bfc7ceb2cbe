/// Where a brain keeps what it remembers: bytes under keys, gathered in collections.
///
/// What every store must keep to is written down as tests, the `StoreLaw`s in HeybotTesting:
///
/// - When `set` or `compareAndSet` returns, the change outlives the process.
/// - `compareAndSet` is atomic, also between processes that share the store.
/// - Names and keys are told apart by their UTF-8 bytes; any string will do, the empty one too.
/// - A value may have up to ``BrainLimits/valueBytes`` bytes, and none at all.
///
/// All calls throw ``StoreError``. They may come from many tasks at once, and block no thread of the caller's.
public protocol Store: Sendable {
    /// Opens the store; called once, before anything else.
    func open() async throws

    /// Closes it, after all that was begun is done. A call that comes later throws ``StoreError/Code/closed``.
    func close() async

    func value(for key: StoreKey) async throws -> [UInt8]?

    /// Sets the value, or takes the entry away if it is nil.
    func set(_ value: [UInt8]?, for key: StoreKey) async throws

    /// Sets the value if what is there now equals `expected` to the byte, nil standing for nothing; tells whether it did.
    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool

    /// A part of a collection's entries, or of the values on their own if the collection is nil, in no order that
    /// means anything.
    ///
    /// Begin with nil and go on with each page's `next` until that is nil. An entry that is there all the while comes
    /// at least once; one that comes or goes meanwhile may or may not.
    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage

    /// Some names of the collections that have entries, each once, in no order that means anything.
    ///
    /// Begin with nil and go on with `next` until that is nil, as with the entries of a collection.
    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?)
}

/// Names one entry of a store.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
    /// The collection the entry is in; nil for a value on its own.
    public let collection: String?
    /// The name of the value, or its key in the collection.
    public let name: String

    /// Names an entry of a collection, or a value on its own.
    public init(collection: String? = nil, name: String) {
        self.collection = collection
        self.name = name
    }

    public var description: String {
        if let collection { "\(collection)[\(name)]" } else { name }
    }
}

/// Some of a collection's entries, and where the next ones begin.
public struct StorePage: Sendable {
    /// The entries, each key once.
    public var entries: [(key: String, value: [UInt8])]
    /// What to ask the next page with; nil if this was the last.
    public var next: String?

    /// Makes a page.
    public init(entries: [(key: String, value: [UInt8])], next: String?) {
        self.entries = entries
        self.next = next
    }
}

/// How much a brain holds.
public enum BrainLimits {
    /// The longest value, coded: 16 MiB.
    public static let valueBytes = 16 << 20

    /// Refuses a value that is longer, naming what it was meant for.
    public static func check(_ value: [UInt8]?, for key: StoreKey) throws(StoreError) {
        guard let value, value.count > valueBytes else { return }
        throw StoreError(.tooLong, "\(value.count) bytes for \(key) are more than the \(valueBytes) a value may have")
    }
}

/// Why a store can't do what it was asked, in a line for whoever runs the robot.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is, which decides what can be done.
    public enum Code: Hashable, Sendable {
        /// It can't be reached or opened.
        case unavailable
        /// It can't prove that it is the one that is meant.
        case untrusted
        /// Somebody else keeps it to themselves, for longer than we wait.
        case busy
        /// There is no room left.
        case full
        /// It doesn't let us in, or doesn't let us do this.
        case refused
        /// It may be read but not written.
        case readOnly
        /// It was written by a newer version.
        case tooNew
        /// What is there can't be read, or is not a brain.
        case damaged
        /// The value is longer than ``BrainLimits/valueBytes``.
        case tooLong
        /// It has been closed.
        case closed
        /// Anything else.
        case failed
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What is wrong, which names the thing.
    public let reason: String
    /// What can be done about it; nil if nothing can be said.
    public let cure: String?
    private let joint: String

    /// Makes an error of what is wrong, which names the thing, and what can be done about it.
    public init(_ code: Code, _ reason: String, cure: String? = nil) {
        self.init(code, reason, joint: ": ", cure: cure)
    }

    /// Makes an error with other words in between than a colon.
    package init(_ code: Code, _ reason: String, joint: String, cure: String?) {
        self.code = code
        self.reason = reason
        self.cure = cure
        self.joint = joint
    }

    /// The reason and the cure in one line.
    public var description: String { cure.map { reason + joint + $0 } ?? reason }
}
