import FoundationEssentials
package import HeybotSupport

/// What the script host tells the robot; see the guide to the protocol.
package enum HostMessage: Hashable, Sendable {
    case loading(script: String, package: String?, parent: String?)
    case script(LoadedScript)
    case listener(AnnouncedListener)
    case unlisten(Int)
    case ready(Ready)
    case help([String])
    case middleware([MiddlewareKind])
    case send(SendRequest)
    case receive(InjectionRequest)
    case result(RunResult)
    case ended(run: Int, error: String?)
    case error(ScriptError)
    case log(LogLine)
    case brain([BrainEntry])
    case datastore(DatastoreRequest)
    case routes([WebRoute])
    case webResponse(WebResponseHead, WebBodyPart)
    case webBody(WebBodyPart)
    case busy(BusyReport)
    case retired
    case pong(id: Int)
    case unknown(String)

    /// All scripts are loaded.
    package struct Ready: Codable, Hashable, Sendable {
        package var language: String?
    }

    /// Something that a script prints or logs.
    package struct LogLine: Codable, Hashable, Sendable {
        package var level: String?
        package var script: String?
        package var text: String?
        package var dropped: Int?
    }
}

/// A line of the host's standard output.
package enum HostOutputLine: Hashable, Sendable {
    case message(HostMessage)
    /// Something that a script has printed past the protocol.
    case printed([UInt8])
    /// The line was longer than the limit, and was dropped.
    case tooLong
    /// Changes of the brain that can't be decoded.
    case undecodableBrain

    private static let brainStart = Array(#"{"type":"brain","#.utf8)

    package init(_ line: LineSplitter.Line) {
        self =
            switch line {
            case .line(let bytes):
                HostMessage(line: bytes).map { .message($0) }
                    ?? (bytes.starts(with: Self.brainStart) ? .undecodableBrain : .printed(bytes))
            case .tooLong: .tooLong
            }
    }
}

/// A script that was loaded, or has failed.
package struct LoadedScript: Codable, Hashable, Sendable {
    package var id: String
    package var commands: [String]?
    package var error: ScriptError?
    /// The environment variables that its files name.
    package var environment: [Variable]?
    /// The packages that its files name and that aren't installed.
    package var missing: [String]?

    /// An environment variable that a script reads.
    package struct Variable: Codable, Hashable, Sendable {
        package var name: String
        /// Whether it is set now.
        package var set: Bool
        /// Whether the script has a value of its own.
        package var optional: Bool
    }

    package init(id: String, commands: [String]? = nil, error: ScriptError? = nil) {
        (self.id, self.commands, self.error) = (id, commands, error)
    }
}

/// An error of a script.
package struct ScriptError: Codable, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    package var file: String?
    package var line: Int?
    package var script: String?
    package var run: Int?
    package var fatal: Bool?

    package init(
        _ message: String, file: String? = nil, line: Int? = nil, script: String? = nil, run: Int? = nil
    ) {
        (self.message, self.file, self.line, self.script, self.run) = (message, file, line, script, run)
    }

    /// The message, with the place if it is known.
    package var description: String {
        guard let file else { return message }
        return "\(message) (\(file)\(line.map { ":\($0)" } ?? ""))"
    }
}

/// A listener of a script.
package struct AnnouncedListener: Codable, Hashable, Sendable {
    package var id: Int
    package var script: String?
    package var ordinal: Int
    package var kind: Kind
    package var pattern: String?
    package var flags: String?
    package var options: [String: JSONValue]?

    /// Which messages it is asked about.
    package enum Kind: String, Codable, Hashable, Sendable {
        case hear, respond, listen, enter, leave, topic, catchAll
    }
}

/// Something that a script sends.
package struct SendRequest: Codable, Hashable, Sendable {
    package var request: Int
    package var kind: String
    package var strings: [String]
    package var room: String?
    package var user: String?
    package var run: Int?
    package var script: String?
}

/// A message that a script puts into the robot.
package struct InjectionRequest: Codable, Hashable, Sendable {
    package var request: Int
    package var token: Int
    package var message: InjectedMessage
    package var run: Int?
    package var script: String?

    /// The message itself.
    package struct InjectedMessage: Codable, Hashable, Sendable {
        package var kind: String
        package var id: String?
        package var room: String?
        package var user: Author?
        package var text: String?
    }

    /// Who says it.
    package struct Author: Codable, Hashable, Sendable {
        package var id: String
        package var name: String?
    }
}

/// An operation on the data store.
package struct DatastoreRequest: Codable, Hashable, Sendable {
    package var request: Int
    package var operation: Operation
    package var table: String
    package var key: String
    /// For `setObject`: the key in the object.
    package var objectKey: String?
    package var value: JSONValue?

    /// What to do with the entry.
    package enum Operation: String, Codable, Hashable, Sendable {
        case get, set, setObject, append
    }
}

/// A web route of a script, for lists.
package struct WebRoute: Codable, Hashable, Sendable {
    package var method: String
    package var path: String
    package var script: String?
}

/// The beginning of the answer to a web request.
package struct WebResponseHead: Codable, Hashable, Sendable {
    package var status: Int
    /// Pairs of name and value.
    package var headers: [[String]]?
}

/// A part of a body, of a web request or of its answer.
package struct WebBodyPart: Codable, Hashable, Sendable {
    package var id: Int
    /// In Base64.
    package var body: String?
    /// False if further parts follow.
    package var last: Bool?
    /// The reason why the answer stays incomplete.
    package var error: String?

    package init(id: Int, body: String? = nil, last: Bool? = nil, error: String? = nil) {
        (self.id, self.body, self.last, self.error) = (id, body, last, error)
    }

    /// The bytes; nil if the text isn't Base64.
    package var bytes: [UInt8]? { body.map { Data(base64Encoded: $0).map(Array.init) } ?? [] }
}

/// A script that blocks the host, or uses up its memory.
package struct BusyReport: Codable, Hashable, Sendable {
    package var reason: Reason
    package var script: String?
    package var file: String?
    package var line: Int?

    package enum Reason: String, Codable, Hashable, Sendable {
        case time, memory
    }
}

/// The answer to a question about a listener or middleware.
package struct RunResult: Codable, Hashable, Sendable {
    package var run: Int
    package var matched: Bool?
    package var held: Bool?
    package var stopped: Bool?
    package var ended: Bool?
    package var finished: Bool?
    package var text: String?
    package var error: String?
    package var `continue`: Bool?
    package var strings: [String]?

    package init(
        run: Int, matched: Bool? = nil, held: Bool? = nil, ended: Bool? = nil, finished: Bool? = nil,
        text: String? = nil, error: String? = nil, continues: Bool? = nil, strings: [String]? = nil
    ) {
        (self.run, self.matched, self.held, self.ended) = (run, matched, held, ended)
        (self.finished, self.text, self.error, self.continue) = (finished, text, error, continues)
        self.strings = strings
    }
}

extension HostMessage: Decodable {
    private enum Key: String, CodingKey {
        case type, script, package, parent, listener, commands, kinds, run, error, id, entries, routes
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        self =
            switch try fields.decode(String.self, forKey: .type) {
            case "loading":
                .loading(
                    script: try fields.decode(String.self, forKey: .script),
                    package: try fields.decodeIfPresent(String.self, forKey: .package),
                    parent: try fields.decodeIfPresent(String.self, forKey: .parent))
            case "script": .script(try LoadedScript(from: decoder))
            case "listener": .listener(try AnnouncedListener(from: decoder))
            case "unlisten": .unlisten(try fields.decode(Int.self, forKey: .listener))
            case "ready": .ready(try Ready(from: decoder))
            case "help": .help(try fields.decode([String].self, forKey: .commands))
            case "middleware":
                .middleware(
                    try fields.decode([String].self, forKey: .kinds).compactMap(MiddlewareKind.init(rawValue:)))
            case "send": .send(try SendRequest(from: decoder))
            case "receive": .receive(try InjectionRequest(from: decoder))
            case "result": .result(try RunResult(from: decoder))
            case "ended":
                .ended(
                    run: try fields.decode(Int.self, forKey: .run),
                    error: try fields.decodeIfPresent(String.self, forKey: .error))
            case "error": .error(try ScriptError(from: decoder))
            case "log": .log(try LogLine(from: decoder))
            case "brain": .brain(try fields.decode([BrainEntry].self, forKey: .entries))
            case "datastore": .datastore(try DatastoreRequest(from: decoder))
            case "routes": .routes(try fields.decode([WebRoute].self, forKey: .routes))
            case "webResponse": .webResponse(try WebResponseHead(from: decoder), try WebBodyPart(from: decoder))
            case "webBody": .webBody(try WebBodyPart(from: decoder))
            case "busy": .busy(try BusyReport(from: decoder))
            case "retired": .retired
            case "pong": .pong(id: try fields.decode(Int.self, forKey: .id))
            case let other: .unknown(other)
            }
    }

    /// Parses a line; nil if it isn't a message.
    package init?(line: [UInt8]) {
        guard let message = (try? HostMessage(plainLine: line)) ?? HostMessage(anyLine: line) else { return nil }
        self = message
    }

    /// Parses a line that may have any form of JSON; nil if it isn't a message.
    init?(anyLine line: [UInt8]) {
        guard line.first == UInt8(ascii: "{"),
            let message = try? JSONDecoder().decode(HostMessage.self, from: Data(line))
        else { return nil }
        self = message
    }
}
