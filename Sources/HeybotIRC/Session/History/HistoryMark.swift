/// What a connection has left for the next one, which asks for what was said between the two.
package struct HistoryMark: Sendable {
    /// The server's time of the last message.
    let last: String
    /// The server's time from which messages were missed, by the channels' folded names.
    private(set) var channels: [String: String]
    let heard: HeardMessages
    /// Whether a robot that was killed may have answered some of what was said since.
    let mayBeAnswered: Bool
    /// Whether the connection has ended before everything that was asked for was received.
    let isAsking: Bool

    init(
        last: String, channels: [String: String], heard: HeardMessages, mayBeAnswered: Bool = false,
        isAsking: Bool = false
    ) {
        (self.last, self.channels, self.heard) = (last, channels, heard)
        (self.mayBeAnswered, self.isAsking) = (mayBeAnswered, isAsking)
    }

    /// Creates the mark that an earlier process has left.
    package init(_ stored: StoredHistoryMark) {
        self.init(
            last: stored.last, channels: stored.channels, heard: HeardMessages(), mayBeAnswered: stored.mayBeAnswered)
    }

    /// The mark for the next process, which doesn't know what this one has heard.
    package var stored: StoredHistoryMark {
        StoredHistoryMark(last: last, channels: channels, mayBeAnswered: mayBeAnswered || isAsking)
    }

    /// Forgets a channel, folded, that the robot leaves for good.
    package mutating func forget(_ channel: String) { channels[channel] = nil }
}

/// A ``HistoryMark`` as the brain keeps it for the next process.
package struct StoredHistoryMark: Codable, Hashable, Sendable {
    /// The server's time of the last message.
    let last: String
    /// The server's time from which messages were missed, by the channels' folded names.
    let channels: [String: String]
    /// Whether the process that has left the mark may have answered some of what was said since.
    package var mayBeAnswered: Bool
}
