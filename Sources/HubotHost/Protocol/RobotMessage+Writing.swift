import FoundationEssentials
import HeybotSupport

// The messages that belong to each command are written without `JSONEncoder`, which would take most of their time.

extension RobotMessage {
    /// The message as a line of JSON, with the line feed.
    package var line: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// The line of any message, as `JSONEncoder` writes it.
    var encodedLine: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only numbers that aren't finite can't be encoded, and JSON from outside has none.
        guard let bytes = try? encoder.encode(self) else { return [] }
        return Array(bytes) + [UInt8(ascii: "\n")]
    }

    /// Writes the message as a line of JSON, with the line feed.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .message(let run, let listener, let message, let hold):
            writer.line { line in
                line.member("disabled", message.disabled)
                if hold { line.member("hold", true) }
                line.member("listener", listener)
                line.member("message") { message.write(to: &$0) }
                line.member("run", run)
                line.member("type", "message")
            }
        case .resume(let run, let continues):
            writer.line { line in
                line.member("continue", continues)
                line.member("run", run)
                line.member("type", "resume")
            }
        case .end(let number):
            writer.line { line in
                line.member("number", number)
                line.member("type", "end")
            }
        case .middleware(let run, let question) where question.listener == nil:
            writer.line { line in
                line.member("disabled", question.message.disabled)
                line.member("kind", question.kind.rawValue)
                line.member("message") { question.message.write(to: &$0) }
                line.member("method", question.method)
                line.member("run", run)
                line.member("strings", question.strings)
                line.member("type", "middleware")
            }
        case .response(let request, let error, nil):
            writer.line { line in
                line.member("error", error)
                line.member("request", request)
                line.member("type", "response")
            }
        case .start, .cancel, .middleware, .response, .users, .brain, .webRequest, .webBody, .webClosed, .ping, .retire,
            .stop:
            writer.append(encodedLine)
        }
    }
}

extension WireMessage {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("command", command)
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("number", number)
        writer.member("original", original)
        writer.member("room", room)
        writer.member("text", text)
        writer.member("token", token)
        guard let user else { return }
        writer.member("user") { fields in
            fields.member("adapter", user.adapter)
            fields.member("id", user.id)
            fields.member("name", user.name)
        }
    }
}
