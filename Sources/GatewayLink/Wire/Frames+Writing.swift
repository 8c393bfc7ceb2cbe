import FoundationEssentials
import Heybot
import HeybotSupport

// The frames that belong to each message are written without `JSONEncoder`, which would take most of their time.

extension GatewayFrame {
    /// The JSON of a frame that is often sent, with the same meaning as what `JSONEncoder` writes; nil for another one.
    var plainJSON: [UInt8]? {
        var writer = JSONWriter(capacity: 512)
        switch self {
        case .message(let numbered):
            let message = numbered.message
            guard case .text(let text) = message.content, message.isPlain else { return nil }
            writer.object { frame in
                frame.member("attempt", numbered.attempt)
                frame.member("message") { message.write(text, to: &$0) }
                frame.member("number", numbered.number)
                frame.member("type", "message")
            }
        case .result(let call, let outcome):
            var sent = CallOutcome()
            sent.message = outcome.message
            guard outcome == sent else { return nil }
            writer.object { frame in
                frame.member("call", call)
                frame.member("outcome") { $0.member("message", sent.message) }
                frame.member("type", "result")
            }
        default: return nil
        }
        return writer.bytes
    }
}

extension WorkerFrame {
    /// The JSON of a frame that is often sent, with the same meaning as what `JSONEncoder` writes; nil for another one.
    var plainJSON: [UInt8]? {
        var writer = JSONWriter(capacity: 512)
        switch self {
        case .done(let numbers):
            writer.object { frame in
                frame.member("numbers", numbers)
                frame.member("type", "done")
            }
        case .call(let call):
            guard case .deliver(let utterance, let envelope) = call.operation, let kind = utterance.textKind else {
                return nil
            }
            writer.object { frame in
                frame.member("adapter", call.adapter)
                frame.member("call", call.call)
                frame.member("index", call.index)
                frame.member("number", call.number)
                frame.member("observed", call.observed)
                frame.member("observer", call.observer)
                frame.member("operation") { operation in
                    operation.member("envelope") { envelope.write(to: &$0) }
                    operation.member("kind", "deliver")
                    operation.member("utterance") { text in
                        text.member("kind", kind)
                        text.member("text", utterance.content)
                    }
                }
                frame.member("type", "call")
            }
        default: return nil
        }
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes a member with an id, unless there is none: its ``ScopedID/description``, without making that string.
    fileprivate mutating func member<Subject>(_ name: StaticString, _ id: ScopedID<Subject>?) {
        if let id { member(name, scope: id.adapter, value: id.value) }
    }
}

extension Message {
    /// Whether it has nothing that few messages have.
    fileprivate var isPlain: Bool {
        !isLate && !isAction && reply == nil && thread == nil && correction == nil && attachments.isEmpty
            && time.timeIntervalSinceReferenceDate.isFinite
    }

    fileprivate func write(_ text: String, to writer: inout JSONWriter) {
        writer.member("content") { content in
            content.member("kind", "text")
            content.member("text", text)
        }
        writer.member("id", id)
        writer.member("isAddressed", isAddressed)
        writer.member("origin", origin)
        writer.member("room") { room.write(to: &$0) }
        writer.member("time", time.timeIntervalSinceReferenceDate)
        writer.member("user") { user.write(to: &$0) }
    }
}

extension User {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("account", account)
        writer.member("id", id)
        writer.member("isAnonymous", isAnonymous)
        writer.member("name", name)
    }
}

extension Room {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("isPrivate", isPrivate)
        writer.member("name", name)
    }
}

extension Envelope {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("message", message)
        writer.member("room") { room.write(to: &$0) }
        writer.member("thread", thread)
        if isTracked { writer.member("tracking", true) }
        if let user { writer.member("user") { user.write(to: &$0) } }
    }
}

extension Utterance {
    /// The kind of an utterance that is only text; nil for another one.
    fileprivate var textKind: String? {
        switch self {
        case .text: "text"
        case .reply: "reply"
        case .emote: "emote"
        case .topic: "topic"
        case .attachment: nil
        }
    }
}
