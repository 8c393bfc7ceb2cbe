/// The lines that were sent with a label and not acknowledged yet (IRCv3 labeled-response); bounded.
struct Acknowledgements: Sendable {
    private var lines: [(label: String, message: OutgoingMessage)] = []
    private var lastNumber = 0
    /// If more lines wait, the oldest ones count as acknowledged.
    private static let maxLines = 100

    var isEmpty: Bool { lines.isEmpty }

    /// Returns the label for a line, and waits for its acknowledgement.
    ///
    /// - Parameter line: The line as a message; `since` is the time at which it is sent.
    mutating func label(_ line: OutgoingMessage) -> String {
        lastNumber += 1
        let label = "h\(lastNumber)"
        if lines.count >= Self.maxLines { lines.removeFirst() }
        lines.append((label, line))
        return label
    }

    /// Removes and returns the line with a label; nil if none waits with it.
    mutating func take(_ label: String) -> OutgoingMessage? {
        guard let index = lines.firstIndex(where: { $0.label == label }) else { return nil }
        return lines.remove(at: index).message
    }

    /// The lines that weren't acknowledged and aren't too old to be sent again, marked as repeated.
    func unacknowledged(at now: Duration) -> [OutgoingMessage] {
        lines.map { $0.message }.filter { now - $0.since < Session.repetitionLimit }.map { line in
            var line = line
            line.isRepeated = true
            return line
        }
    }
}
