import GatewayLink
import RedisStore

/// An entry of a stream.
struct StreamEntry: Sendable {
    /// Its id, `milliseconds-number`.
    let id: String
    private var members: [String: [UInt8]] = [:]

    init?(_ reply: Reply) {
        guard case .array(let parts) = reply, parts.count == 2, let id = parts[0].string,
            case .array(let words) = parts[1], words.count % 2 == 0
        else { return nil }
        self.id = id
        for index in stride(from: 0, to: words.count, by: 2) {
            if let name = words[index].string { members[name] = words[index + 1].bytes }
        }
    }

    subscript(name: String) -> [UInt8]? { members[name] }

    /// The length of the names and contents of its members.
    var length: Int { members.reduce(0) { $0 + $1.key.utf8.count + $1.value.count } }

    /// A member as text.
    func text(_ name: String) -> String? { members[name].map { String(decoding: $0, as: UTF8.self) } }
}

/// A call that waits for an adapter.
struct QueuedCall: Sendable {
    enum Origin: Hashable, Sendable {
        case message(partition: Int, entry: String, place: String)
        /// The number is empty if the worker doesn't wait for the outcome.
        case worker(String, number: String)
    }

    /// Its id in the adapter's stream.
    let id: String
    let origin: Origin
    /// The call; nil if it can't be read.
    let call: AdapterCall?
    /// The id of the message that has caused it; empty if none has.
    let entry: String
    /// The length of its entry in the stream.
    let length: Int

    /// Reads an entry.
    init(_ entry: StreamEntry) {
        (id, self.entry, length) = (entry.id, entry.text("e") ?? "", entry.length)
        let frame = entry["c"].flatMap {
            try? LinkCoder.workerFrame(FrameBytes(json: $0, file: entry["f"] ?? []))
        }
        call = if case .call(let call)? = frame { call } else { nil }
        if let partition = entry.text("k").flatMap({ Int($0) }), let place = entry.text("p") {
            origin = .message(partition: partition, entry: self.entry, place: place)
        } else {
            origin = .worker(entry.text("w") ?? "", number: entry.text("n") ?? "")
        }
    }
}

/// An id in a stream, which can be compared.
struct StreamID: Comparable {
    private let milliseconds: UInt64
    private let number: UInt64

    init(_ text: String) {
        let parts = text.split(separator: "-")
        milliseconds = parts.first.flatMap { UInt64($0) } ?? 0
        number = parts.count > 1 ? UInt64(parts[1]) ?? 0 : 0
    }

    /// The server's time when the entry was added, in milliseconds.
    var time: Int { Int(clamping: milliseconds) }

    static func < (left: Self, right: Self) -> Bool {
        (left.milliseconds, left.number) < (right.milliseconds, right.number)
    }
}
