import Heybot

/// A text that another program keeps in the same Redis, as it was at one moment, read piece by piece.
///
/// Redis keeps a copy of it meanwhile, for ten minutes after each piece; ``close()`` takes that away.
public struct RedisText: Sendable {
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

    /// The next piece, up to 256 KB; nil at the end.
    ///
    /// - Throws: ``StoreError``, also if the ten minutes were over before.
    public mutating func next() async throws -> [UInt8]? {
        guard position < count else { return nil }
        let range = [position, position + Self.pieceBytes - 1].map { Array("\($0)".utf8) }
        guard let piece = try await store.ask(Command("GETRANGE", [copy] + range)).bytes, !piece.isEmpty else {
            throw StoreError(.failed, "the copy in Redis went away while it was read", cure: "try again")
        }
        position += piece.count
        // Whoever takes it in may be slow.
        _ = try await store.ask(Command("EXPIRE", [copy, Array("600".utf8)]))
        return piece
    }

    /// Takes the copy away.
    public func close() async {
        // If that fails, it goes by itself.
        _ = try? await store.ask(Command("DEL", [copy]))
    }
}

extension RedisStore {
    /// A text that another program keeps in the same database; nil if there's none, or it's empty.
    public func text(of key: String) async throws -> RedisText? {
        // The other program may write it again between two pieces.
        let copy = Array("\(layout.prefix):copy:\(UInt64.random(in: 0...UInt64.max))".utf8)
        guard case .integer(let count) = try await run(.copy, [Array(key.utf8), copy], []) else { throw odd }
        return count > 0 ? RedisText(self, copy: copy, count: count) : nil
    }
}
