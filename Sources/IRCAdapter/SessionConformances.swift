// What `NetworkAdapter` requires of IRC's session and of its log entries: their levels, and what they count.

package import HeybotIRC
package import Logging
import NetworkAdapter

extension Session: ProtocolSession {}

extension LogEntry: SessionLogEntry {
    package var level: Logger.Level {
        switch self {
        case .invitation, .joined: .debug
        default: isWarning ? .warning : .info
        }
    }

    package static var counters: [String] { ["heybot_outbound_messages_dropped_total"] }

    package var counted: (counter: String, count: Int)? {
        switch self {
        case .dropped(let count), .expired(let count), .stale(let count), .withheld(let count):
            ("heybot_outbound_messages_dropped_total", count)
        default: nil
        }
    }

    package var changesRooms: Bool {
        switch self {
        case .joined, .rejoined, .kicked, .joinRefused, .renamed: true
        default: false
        }
    }

    package var isLoggedOnce: Bool {
        switch self {
        case .loginFailed, .nickTaken, .nickEnforced, .nickYielded, .joinRefused, .accountsUnavailable,
            .accountsUnlikely, .encryptionRequired:
            true
        default: false
        }
    }

    package func ends(_ other: LogEntry) -> Bool {
        switch (other, self) {
        case (.loginFailed, .loggedIn), (.nickTaken, .nickRegained), (.nickEnforced, .nickRegained): true
        case (.joinRefused(let refused, _), .joined(let channel)),
            (.joinRefused(let refused, _), .rejoined(let channel)):
            refused.lowercased() == channel.lowercased()
        default: false
        }
    }
}
