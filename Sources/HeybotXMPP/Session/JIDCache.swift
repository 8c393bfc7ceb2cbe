/// Addresses that came before: in a room the same ones come again and again, and to prepare one costs as much as the rest
/// of a message.
struct JIDCache: Sendable {
    /// An address as it was written, byte for byte.
    private struct Written: Hashable {
        let text: String

        static func == (one: Written, other: Written) -> Bool { one.text.isWritten(like: other.text) }

        func hash(into hasher: inout Hasher) {
            let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
                hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
        }
    }

    private static let most = 1_000
    /// Longer ones are rare, and would fill the memory.
    private static let longest = 256

    private var known: [Written: JID] = [:]

    /// The address that is written so; nil if that is none.
    mutating func jid(_ text: String) -> JID? {
        if let jid = known[Written(text: text)] { return jid }
        guard let jid = try? JID(text) else { return nil }
        guard text.utf8.count <= Self.longest else { return jid }
        // Whoever is there now comes back soon.
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[Written(text: text)] = jid
        return jid
    }
}
