import CHiredis

/// Cuts what the server sends into replies, with hiredis' parser.
///
/// For one task at a time. Once it has thrown, it's of no more use, and the connection is to be closed.
final class ReplyReader {
    /// How much one reply may be.
    struct Limits {
        /// Bytes of a text.
        var textBytes = 32 << 20
        /// Bytes of all texts of a reply.
        var bytes = 512 << 20
        /// Texts, numbers and arrays in a reply.
        var parts = 1 << 20
    }

    /// What the server sends isn't what its protocol says, or more than we take.
    enum Broken: Error, Hashable {
        /// One reply is more than the limits allow.
        case tooLong
        /// In plain words.
        case other(String)
    }

    private let limits: Limits
    private let reader: UnsafeMutablePointer<redisReader>
    private let allowance: Allowance

    /// Throws if there's no memory for it.
    init(_ limits: Limits = Limits()) throws(Broken) {
        guard let reader = redisReaderCreateWithFunctions(Self.functions) else {
            throw .other("there is no memory to read it")
        }
        self.limits = limits
        self.reader = reader
        allowance = Allowance(limits)
        reader.pointee.privdata = Unmanaged.passUnretained(allowance).toOpaque()
    }

    deinit { redisReaderFree(reader) }

    /// Takes in bytes; ``next()`` gives the replies that are complete.
    func feed(_ bytes: ArraySlice<UInt8>) throws(Broken) {
        // hiredis keeps a text that isn't complete, however long it's said to be.
        guard reader.pointee.len - reader.pointee.pos <= limits.textBytes else {
            throw .tooLong
        }
        let result = bytes.withUnsafeBytes { bytes in
            redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        if result != REDIS_OK { throw broken() }
    }

    /// The next reply; nil if more bytes are to come first.
    func next() throws(Broken) -> Reply? {
        var found: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &found) == REDIS_OK else { throw broken() }
        guard let found else { return nil }
        // What hiredis has no function of ours for it marks by a small number.
        guard UInt(bitPattern: found) > 4_096 else { throw .other("it speaks another protocol than RESP 2") }
        let part = Unmanaged<Part>.fromOpaque(found).takeRetainedValue()
        allowance.renew()
        guard let reply = part.reply else { throw .other("it speaks another protocol than RESP 2") }
        return reply
    }

    private func broken() -> Broken {
        if allowance.isUsedUp { return .tooLong }
        let words = withUnsafeBytes(of: reader.pointee.errstr) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .other(words)
    }

    // MARK: What hiredis calls

    // hiredis keeps the pointer as long as a reader lives. It's written once, here.
    private nonisolated(unsafe) static let functions: UnsafeMutablePointer<redisReplyObjectFunctions> = {
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        var table = redisReplyObjectFunctions()
        table.createString = { task, start, count in
            Part.add(task, bytes: count) {
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                return switch $0 {
                case REDIS_REPLY_ERROR: .error(ServerError(String(decoding: bytes, as: UTF8.self)))
                case REDIS_REPLY_STATUS: .status(String(decoding: bytes, as: UTF8.self))
                default: .text(Array(bytes))
                }
            }
        }
        table.createArray = { task, count in Part.add(task, array: Int(count)) }
        table.createInteger = { task, number in Part.add(task) { _ in .integer(Int(number)) } }
        table.createNil = { task in Part.add(task) { _ in .nothing } }
        table.freeObject = { part in
            if let part { Unmanaged<Part>.fromOpaque(part).release() }
        }
        functions.initialize(to: table)
        return functions
    }()

    /// How much the reply that is being read may still be.
    private final class Allowance {
        private let limits: Limits
        private var bytes: Int
        private var parts: Int
        private(set) var isUsedUp = false

        init(_ limits: Limits) {
            self.limits = limits
            (bytes, parts) = (limits.bytes, limits.parts)
        }

        func renew() { (bytes, parts) = (limits.bytes, limits.parts) }

        func takes(bytes count: Int, elements: Int) -> Bool {
            // An array's elements are counted before they come: nothing is done for what is only announced.
            guard count <= bytes, elements < parts else {
                isUsedUp = true
                return false
            }
            bytes -= count
            parts -= 1
            return true
        }
    }

    /// A part of a reply, or all of it.
    private final class Part {
        private let single: Reply?
        private let count: Int
        private var elements: [Part] = []

        private init(_ single: Reply?, count: Int) {
            self.single = single
            self.count = count
        }

        /// Nil if an element is missing.
        var reply: Reply? {
            if let single { return single }
            let replies = elements.compactMap(\.reply)
            return replies.count == count ? .array(replies) : nil
        }

        static func add(
            _ task: UnsafePointer<redisReadTask>?, bytes: Int = 0, _ make: (Int32) -> Reply
        ) -> UnsafeMutableRawPointer? {
            add(task, bytes: bytes) { Part(make($0), count: 0) }
        }

        static func add(_ task: UnsafePointer<redisReadTask>?, array count: Int) -> UnsafeMutableRawPointer? {
            add(task, elements: max(count, 0)) { _ in Part(nil, count: max(count, 0)) }
        }

        /// Nil, which ends the reading, if it's too much.
        private static func add(
            _ task: UnsafePointer<redisReadTask>?, bytes: Int = 0, elements: Int = 0, make: (Int32) -> Part
        ) -> UnsafeMutableRawPointer? {
            guard let task = task?.pointee, let owner = task.privdata else { return nil }
            let allowance = Unmanaged<Allowance>.fromOpaque(owner).takeUnretainedValue()
            guard allowance.takes(bytes: bytes, elements: elements) else { return nil }
            let part = make(task.type)
            guard let parent = task.parent?.pointee.obj else { return Unmanaged.passRetained(part).toOpaque() }
            // It's the array's from now on, and goes with it.
            Unmanaged<Part>.fromOpaque(parent).takeUnretainedValue().elements.append(part)
            return Unmanaged.passUnretained(part).toOpaque()
        }
    }
}

/// What the server answers (RESP 2).
enum Reply: Hashable, Sendable {
    case text([UInt8])
    /// A short word, as `OK`.
    case status(String)
    case integer(Int)
    case nothing
    case error(ServerError)
    case array([Reply])

    /// Its bytes, if it's a text.
    var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    /// Its bytes as words for people, if it's a text or a status.
    var string: String? {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let word): word
        default: nil
        }
    }
}
