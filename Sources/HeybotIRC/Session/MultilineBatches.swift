/// Collects the lines of messages that have several (IRCv3 draft/multiline); bounded.
struct MultilineBatches: Sendable {
    private struct Batch {
        /// The `BATCH` message that opened it, with the message's tags.
        let opening: IRCMessage
        let target: String
        /// The first line; nil before it.
        var first: IRCMessage?
        var text = ""
        var lineCount = 0
    }

    /// The open batches, by their references.
    private var batches: [String: Batch] = [:]
    private static let type = "draft/multiline"
    /// The tag of a line that continues the line before it.
    private static let concatenation = "draft/multiline-concat"
    /// If more batches are open, their lines are messages of their own.
    private static let maxBatches = 20
    /// Further lines of a message are dropped.
    private static let maxLines = 200
    private static let maxBytes = 32_768

    /// Handles a `BATCH` message, which opens or closes a batch.
    ///
    /// - Returns: The message, if it is complete.
    mutating func receive(_ message: IRCMessage) -> IRCMessage? {
        guard let first = message.parameters.first else { return nil }
        let reference = String(first.dropFirst())
        guard first.hasPrefix("+") else { return batches.removeValue(forKey: reference).flatMap(Self.joined) }
        if message.parameters.count > 2, message.parameters[1].lowercased() == Self.type,
            batches.count < Self.maxBatches
        {
            batches[reference] = Batch(opening: message, target: message.parameters[2])
        }
        return nil
    }

    /// Takes a line of an open batch.
    ///
    /// - Returns: False if it is a message of its own.
    mutating func take(_ line: IRCMessage) -> Bool {
        guard !batches.isEmpty, let reference = line.tags["batch"], let batch = batches[reference],
            line.parameters.count > 1
        else { return false }
        let text = line.parameters[1]
        // All lines have the same sender and target.
        guard line.source == (batch.first ?? line).source, line.parameters[0] == batch.target,
            batch.lineCount < Self.maxLines, batch.text.utf8.count + text.utf8.count < Self.maxBytes
        else { return true }
        if batch.first == nil {
            batches[reference]?.first = line
        } else if line.tags[Self.concatenation] == nil {
            batches[reference]?.text += "\n"
        }
        batches[reference]?.text += text
        batches[reference]?.lineCount += 1
        return true
    }

    /// The message of a complete batch; nil if it has no lines.
    private static func joined(_ batch: Batch) -> IRCMessage? {
        guard let first = batch.first else { return nil }
        var tags = first.tags.merging(batch.opening.tags) { $1 }
        // The batch may be part of another one.
        tags["batch"] = batch.opening.tags["batch"]
        tags[concatenation] = nil
        return IRCMessage(tags: tags, source: first.source, first.command, batch.target, batch.text)
    }
}
