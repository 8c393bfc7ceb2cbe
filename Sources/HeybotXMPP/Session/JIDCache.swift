/// A cache of parsed addresses: the same ones come again and again in a room, and parsing one costs as much as the rest of a
/// message.
struct JIDCache: Sendable {
    /// An address as it was written, compared byte by byte.
    private struct WireForm: Hashable {
        let text: String

        static func == (one: WireForm, other: WireForm) -> Bool { one.text.hasSameBytes(as: other.text) }

        func hash(into hasher: inout Hasher) {
            let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
                hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
        }
    }

    private static let max = 1_000
    /// In bytes; longer addresses are rare and would fill the memory.
    private static let maxLength = 256

    private var known: [WireForm: JID] = [:]

    /// Returns the address that a text stands for; nil if it isn't valid.
    mutating func jid(_ text: String) -> JID? {
        if let jid = known[WireForm(text: text)] { return jid }
        guard let jid = try? JID(text) else { return nil }
        guard text.utf8.count <= Self.maxLength else { return jid }
        // The addresses in use come back soon.
        if known.count >= Self.max { known.removeAll(keepingCapacity: true) }
        known[WireForm(text: text)] = jid
        return jid
    }
}
