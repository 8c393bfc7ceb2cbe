import Heybot

/// The lines that were relayed to a room last, without marks.
///
/// A bridge of another kind may bring them back without the mark. If the robot relayed them again, that would never
/// end.
struct RecentLines: Sendable {
    private static let most = 300
    /// The number of bytes at the beginning of a line in which a relayed one may begin: a bridge puts a name in front.
    private static let longestFront = 200

    /// The hash values of the lines, the earliest first.
    private var order: [Int] = []
    private var known: Set<Int> = []

    /// Creates a list without lines.
    init() {}

    /// Adds the lines of a message.
    mutating func add(_ message: String) {
        for line in RelayMark.removing(from: message).split(separator: "\n") {
            let hash = String(line).hashValue
            guard known.insert(hash).inserted else { continue }
            order.append(hash)
        }
        // Rarely, because removing lines takes time in proportion to their number.
        guard order.count > 2 * Self.most else { return }
        for hash in order.prefix(order.count - Self.most) { known.remove(hash) }
        order.removeFirst(order.count - Self.most)
    }

    /// Whether a line without marks is one of these, perhaps with something in front.
    func contains(_ line: String) -> Bool {
        if known.isEmpty { return false }
        let bytes = line.utf8
        for index in bytes.indices.prefix(Self.longestFront) {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "<") || byte == UInt8(ascii: "*") else { continue }
            if known.contains(String(line[index...]).hashValue) { return true }
        }
        return false
    }
}
