// What `NetworkAdapter` requires of XMPP's session and of its log entries: their levels, and what they count.

package import HeybotXMPP
package import Logging
import NetworkAdapter

extension Session: ProtocolSession {}

extension LogEntry: SessionLogEntry {
    package var level: Logger.Level {
        switch self {
        case .joined, .stanzaSkipped(_, _, isRepeated: true): .debug
        default: isWarning ? .warning : .info
        }
    }

    package static var counters: [String] { ["heybot_outbound_messages_dropped_total", "heybot_stanzas_skipped_total"] }

    package var counted: (counter: String, count: Int)? {
        switch self {
        case .dropped(let count), .expired(let count), .withheld(let count):
            ("heybot_outbound_messages_dropped_total", count)
        case .stanzaSkipped: ("heybot_stanzas_skipped_total", 1)
        default: nil
        }
    }

    package var changesRooms: Bool {
        switch self {
        case .joined, .removed, .joinAbandoned, .joinSkipped, .left, .ready: true
        default: false
        }
    }

    package var isLoggedOnce: Bool {
        switch self {
        case .nickTaken, .joinRefused, .contactRejected, .addressesUntrusted, .created(_, isPersistent: false),
            .notUnlocked:
            true
        default: false
        }
    }

    package func ends(_ other: LogEntry) -> Bool {
        switch (other, self) {
        case (.nickTaken(_, let room, _), .nickRegained(_, let regained)): room == regained
        case (.joinRefused(let refused, _), .joined(let room, _)): refused == room
        default: false
        }
    }
}
