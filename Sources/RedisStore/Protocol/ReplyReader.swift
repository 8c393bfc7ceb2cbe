import CHiredis

/// Parses replies with hiredis.
///
/// Only for use by one task at a time. After an error the reader can't be used any more, and the connection has to be closed.
final class ReplyReader {
    /// The limits of a single reply.
    struct Limits {
        /// The maximum length of a string, in bytes.
        var textBytes = 32 << 20
        /// The maximum length of all strings of a reply, in bytes.
        var bytes = 512 << 20
        /// The maximum number of strings, integers and arrays in a reply.
        var parts = 1 << 20
    }

    /// Invalid input, or input over a limit.
    enum ProtocolError: Error, Hashable {
        /// A reply exceeds the limits.
        case tooLong
        /// A description of the problem.
        case other(String)
    }

    private let limits: Limits
    private let reader: UnsafeMutablePointer<redisReader>
    private let remaining: RemainingLimits

    /// - Throws: If there isn't enough memory.
    init(_ limits: Limits = Limits()) throws(ProtocolError) {
        guard let reader = redisReaderCreateWithFunctions(Self.functions) else {
            throw .other("out of memory")
        }
        self.limits = limits
        self.reader = reader
        remaining = RemainingLimits(limits)
        reader.pointee.privdata = Unmanaged.passUnretained(remaining).toOpaque()
    }

    deinit { redisReaderFree(reader) }

    /// Adds received bytes; ``next()`` returns the replies that they complete.
    func feed(_ bytes: ArraySlice<UInt8>) throws(ProtocolError) {
        // hiredis buffers an incomplete string, whatever its announced length.
        guard reader.pointee.len - reader.pointee.pos <= limits.textBytes else {
            throw .tooLong
        }
        let result = bytes.withUnsafeBytes { bytes in
            redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        if result != REDIS_OK { throw protocolError() }
    }

    /// Returns the next reply; nil if it is incomplete.
    func next() throws(ProtocolError) -> Reply? {
        var found: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &found) == REDIS_OK else { throw protocolError() }
        guard let found else { return nil }
        // hiredis marks types without a callback by a small number.
        guard UInt(bitPattern: found) > 4_096 else { throw .other("the reply isn't RESP 2") }
        let part = Unmanaged<ReplyNode>.fromOpaque(found).takeRetainedValue()
        remaining.reset()
        guard let reply = part.reply else { throw .other("the reply isn't RESP 2") }
        return reply
    }

    private func protocolError() -> ProtocolError {
        if remaining.isUsedUp { return .tooLong }
        let words = withUnsafeBytes(of: reader.pointee.errstr) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .other(words)
    }

    // MARK: hiredis callbacks

    // hiredis keeps the pointer for the lifetime of a reader. It is written once, here.
    private nonisolated(unsafe) static let functions: UnsafeMutablePointer<redisReplyObjectFunctions> = {
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        var table = redisReplyObjectFunctions()
        table.createString = { task, start, count in
            ReplyNode.add(task, bytes: count) {
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                return switch $0 {
                case REDIS_REPLY_ERROR: .error(RedisErrorReply(String(decoding: bytes, as: UTF8.self)))
                case REDIS_REPLY_STATUS: .status(String(decoding: bytes, as: UTF8.self))
                default: .text(Array(bytes))
                }
            }
        }
        table.createArray = { task, count in ReplyNode.add(task, array: Int(count)) }
        table.createInteger = { task, number in ReplyNode.add(task) { _ in .integer(Int(number)) } }
        table.createNil = { task in ReplyNode.add(task) { _ in .nothing } }
        table.freeObject = { part in
            if let part { Unmanaged<ReplyNode>.fromOpaque(part).release() }
        }
        functions.initialize(to: table)
        return functions
    }()

    /// What remains of the limits for the current reply.
    private final class RemainingLimits {
        private let limits: Limits
        private var bytes: Int
        private var parts: Int
        private(set) var isUsedUp = false

        init(_ limits: Limits) {
            self.limits = limits
            (bytes, parts) = (limits.bytes, limits.parts)
        }

        func reset() { (bytes, parts) = (limits.bytes, limits.parts) }

        func consume(bytes count: Int, elements: Int) -> Bool {
            // The elements of an array are counted when they arrive, so an announced length costs nothing.
            guard count <= bytes, elements < parts else {
                isUsedUp = true
                return false
            }
            bytes -= count
            parts -= 1
            return true
        }
    }

    /// A reply, or an element of an array reply.
    private final class ReplyNode {
        private let single: Reply?
        private let count: Int
        private var elements: [ReplyNode] = []

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
            add(task, bytes: bytes) { ReplyNode(make($0), count: 0) }
        }

        static func add(_ task: UnsafePointer<redisReadTask>?, array count: Int) -> UnsafeMutableRawPointer? {
            add(task, elements: max(count, 0)) { _ in ReplyNode(nil, count: max(count, 0)) }
        }

        /// Returns nil, which ends the parsing, if a limit is exceeded.
        private static func add(
            _ task: UnsafePointer<redisReadTask>?, bytes: Int = 0, elements: Int = 0, make: (Int32) -> ReplyNode
        ) -> UnsafeMutableRawPointer? {
            guard let task = task?.pointee, let owner = task.privdata else { return nil }
            let remaining = Unmanaged<RemainingLimits>.fromOpaque(owner).takeUnretainedValue()
            guard remaining.consume(bytes: bytes, elements: elements) else { return nil }
            let part = make(task.type)
            guard let parent = task.parent?.pointee.obj else { return Unmanaged.passRetained(part).toOpaque() }
            // The array now owns the element.
            Unmanaged<ReplyNode>.fromOpaque(parent).takeUnretainedValue().elements.append(part)
            return Unmanaged.passUnretained(part).toOpaque()
        }
    }
}

/// A reply of the server (RESP 2).
package enum Reply: Hashable, Sendable {
    case text([UInt8])
    /// A short text, such as `OK`.
    case status(String)
    case integer(Int)
    case nothing
    case error(RedisErrorReply)
    case array([Reply])

    /// The bytes of a string reply.
    package var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    /// The text of a string or status reply.
    package var string: String? {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let word): word
        default: nil
        }
    }
}
