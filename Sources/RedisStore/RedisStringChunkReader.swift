import Heybot

/// Reads a snapshot of another program's string in the same Redis, piece by piece.
///
/// Redis keeps a copy of the string for ten minutes after each piece; ``close()`` deletes it.
public struct RedisStringChunkReader: Sendable {
    private static let pieceBytes = 256 << 10

    private let store: RedisStore
    private let copy: [UInt8]
    private let count: Int
    private var position = 0

    fileprivate init(_ store: RedisStore, copy: [UInt8], count: Int) {
        self.store = store
        self.copy = copy
        self.count = count
    }

    /// Returns the next piece, up to 256 KB; nil at the end.
    ///
    /// - Throws: ``StoreError``, also if the copy has expired.
    public mutating func next() async throws -> [UInt8]? {
        guard position < count else { return nil }
        let range = [position, position + Self.pieceBytes - 1].map { Array("\($0)".utf8) }
        guard let piece = try await store.execute(RedisCommand("GETRANGE", [copy] + range)).bytes, !piece.isEmpty else {
            throw StoreError(.failed, "the copy in Redis expired while it was read", fix: "try again")
        }
        position += piece.count
        // The caller may process the pieces slowly.
        _ = try await store.execute(RedisCommand("EXPIRE", [copy, Array("600".utf8)]))
        return piece
    }

    /// Deletes the copy.
    public func close() async {
        // If that fails, the copy expires.
        _ = try? await store.execute(RedisCommand("DEL", [copy]))
    }
}

extension RedisStore {
    /// Returns a reader of another program's string in the same database; nil if there is none, or it is empty.
    public func stringReader(for key: String) async throws -> RedisStringChunkReader? {
        // Because the other program may change the string between two pieces.
        let copy = Array("\(schema.prefix):copy:\(UInt64.random(in: 0...UInt64.max))".utf8)
        guard case .integer(let count) = try await run(.copy, [Array(key.utf8), copy], []) else {
            throw unexpectedReply
        }
        return count > 0 ? RedisStringChunkReader(self, copy: copy, count: count) : nil
    }
}
