import Heybot
import HeybotXMPP

/// The latest messages of the robot, by the ids of their stanzas, so that it can change them, and others can refer to them.
struct OwnMessages: Sendable {
    /// A message of the robot.
    struct Entry: Sendable {
        /// A room, an occupant of a room, or a person's own address.
        let target: JID
        /// Whether the target is a room.
        let isPublic: Bool
        /// Whether it was sent as a single message, and not in parts.
        let isWhole: Bool
        /// The beginning of its text.
        fileprivate(set) var text: String
        /// The id that the room has given it; nil if it isn't known, or the message isn't in a room.
        fileprivate(set) var stanzaID: String?
        /// What waits for that id.
        fileprivate var waiting: [WaitingChange] = []

        init(target: JID, isPublic: Bool, isWhole: Bool = true, text: String) {
            (self.target, self.isPublic, self.isWhole) = (target, isPublic, isWhole)
            self.text = OwnMessages.bounded(text)
        }
    }

    /// A change that names the message by the id that the room gives it.
    struct WaitingChange: Sendable {
        let change: MessageChange
        let envelope: Envelope
    }

    /// A message as others refer to it.
    private struct Reference: Hashable {
        let room: JID
        let stanzaID: String
    }

    private static let limit = 1_000
    /// In code points.
    private static let longestText = 500
    /// For one message.
    private static let mostWaiting = 20

    private var entries: [String: Entry] = [:]
    private var ids: [Reference: String] = [:]
    /// A ring buffer once it is full.
    private var latest: [String] = []
    /// The index of the oldest message.
    private var oldest = 0

    /// Returns a message; nil if it isn't one of the latest.
    subscript(id: String) -> Entry? { entries[id] }

    /// Adds a message, in place of the oldest if there are too many.
    mutating func record(_ id: String, _ entry: Entry) {
        if latest.count < Self.limit {
            latest.append(id)
        } else {
            remove(latest[oldest])
            latest[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        entries[id] = entry
    }

    fileprivate static func bounded(_ text: String) -> String {
        // Most texts are short: a code point has at least one byte.
        if text.utf8.count <= longestText { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText)))
    }

    /// Records the new text of a message.
    mutating func recordEdit(of id: String, _ text: String) {
        entries[id]?.text = Self.bounded(text)
    }

    /// Keeps a change until the room has given the message an id.
    ///
    /// - Returns: False if no id is to come, because the message has one, isn't in a room or is too old, or if too many
    ///   changes wait.
    mutating func wait(_ change: WaitingChange, for id: String) -> Bool {
        guard let entry = entries[id], entry.isPublic, entry.stanzaID == nil, entry.waiting.count < Self.mostWaiting
        else { return false }
        entries[id]?.waiting.append(change)
        return true
    }

    /// Records the id that a room has given a message.
    ///
    /// - Returns: The changes that have waited for it, in order.
    @discardableResult
    mutating func record(stanzaID: String, of id: String, in room: JID) -> [WaitingChange] {
        guard let entry = entries[id], entry.isPublic, entry.target == room, entry.stanzaID == nil else { return [] }
        entries[id]?.stanzaID = stanzaID
        entries[id]?.waiting = []
        ids[Reference(room: room, stanzaID: stanzaID)] = id
        return entry.waiting
    }

    /// Removes a message.
    mutating func remove(_ id: String) {
        guard let entry = entries.removeValue(forKey: id), let stanzaID = entry.stanzaID else { return }
        ids[Reference(room: entry.target, stanzaID: stanzaID)] = nil
    }

    /// Whether a message was sent to a room with this address, or to the person or the occupant who has it.
    func isRecipient(_ address: JID, of id: String) -> Bool {
        guard let entry = entries[id] else { return false }
        // A person has an address without a resource, and an occupant one with it.
        return entry.target == (entry.isPublic || entry.target.isFull ? address : address.bare)
    }

    /// Returns the id of the message that an event refers to by the room's id, or outside of rooms by the stanza's; nil if it
    /// isn't one of the latest in that conversation.
    func message(_ id: String, referredToBy event: IncomingEvent) -> String? {
        if event.isPublic {
            return event.room.flatMap { ids[Reference(room: $0, stanzaID: id)] }
        }
        guard let entry = entries[id] else { return nil }
        return entry.target == (event.room == nil ? event.from.bare : event.from) ? id : nil
    }
}
