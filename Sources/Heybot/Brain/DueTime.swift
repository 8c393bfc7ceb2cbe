import FoundationEssentials

/// An entry of a collection, and the time at which it is due.
public struct DueEntry: Hashable, Sendable {
    /// The entry's key in its collection.
    public let key: String
    /// The time at which it is due, in seconds since 1970.
    public let time: Int64

    /// Creates an entry.
    public init(key: String, time: Int64) {
        self.key = key
        self.time = time
    }
}

/// The time at which an entry of the brain is due, by which stores index the entry.
///
/// Only timers are due at a time. The time is a part of the value, so that it survives an export and an import.
public enum DueTime {
    static let prefix = "heybot.timers."

    /// Whether the entries of a collection have such times.
    public static func covers(_ collection: String?) -> Bool { collection?.utf8.starts(with: prefix.utf8) ?? false }

    /// Returns the time of a value, in seconds since 1970; nil if the value is nil or isn't a timer.
    public static func of(_ value: [UInt8]?, for key: StoreKey) -> Int64? {
        guard let value, covers(key.collection) else { return nil }
        let record: TimerRecord? = try? BrainCoder.decode(value, key)
        return record.map { seconds(of: $0.due) }
    }

    /// Returns the whole seconds since 1970 until a date.
    static func seconds(of date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        return seconds.isNaN ? 0 : Int64(min(max(seconds, -1e12), 1e12).rounded(.down))
    }
}

extension Store {
    public func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        var first: [DueEntry] = []
        var cursor: String?
        repeat {
            let page = try await self.page(of: collection, after: cursor, limit: 200)
            // An entry may be on several pages, if the store changes meanwhile.
            let known = Set(first.map { Array($0.key.utf8) })
            for (key, value) in page.entries where !known.contains(Array(key.utf8)) {
                guard let time = DueTime.of(value, for: StoreKey(collection: collection, name: key)) else { continue }
                first.append(DueEntry(key: key, time: time))
            }
            first = Array(first.sorted { $0.time < $1.time }.prefix(max(limit, 1)))
            cursor = page.next
        } while cursor != nil
        return first
    }
}
