import FoundationEssentials

/// What the script host tells the robot; see the guide to the protocol.
package enum HostMessage: Hashable, Sendable {
    case loading(script: String)
    case script(LoadedScript)
    case listener(AnnouncedListener)
    case unlisten(Int)
    case ready(Ready)
    case help([String])
    case middleware([MiddlewareKind])
    case send(SendRequest)
    case receive(ReceiveRequest)
    case result(RunResult)
    case ended(run: Int, error: String?)
    case error(ScriptError)
    case log(LogLine)
    case brain([BrainEntry])
    case pong(id: Int)
    case unknown(String)

    /// All scripts are loaded.
    package struct Ready: Codable, Hashable, Sendable {
        package var language: String?
    }

    /// Something that a script prints or logs.
    package struct LogLine: Codable, Hashable, Sendable {
        package var level: String
        package var script: String?
        package var text: String?
        package var dropped: Int?
    }
}

/// A script that was loaded, or has failed.
package struct LoadedScript: Codable, Hashable, Sendable {
    package var id: String
    package var commands: [String]?
    package var error: ScriptError?

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
package struct ReceiveRequest: Codable, Hashable, Sendable {
    package var request: Int
    package var token: Int
    package var message: Injected
    package var run: Int?
    package var script: String?

    /// The message itself.
    package struct Injected: Codable, Hashable, Sendable {
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
        case type, script, listener, commands, kinds, run, error, id, entries
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        self =
            switch try fields.decode(String.self, forKey: .type) {
            case "loading": .loading(script: try fields.decode(String.self, forKey: .script))
            case "script": .script(try LoadedScript(from: decoder))
            case "listener": .listener(try AnnouncedListener(from: decoder))
            case "unlisten": .unlisten(try fields.decode(Int.self, forKey: .listener))
            case "ready": .ready(try Ready(from: decoder))
            case "help": .help(try fields.decode([String].self, forKey: .commands))
            case "middleware": .middleware(try fields.decode([MiddlewareKind].self, forKey: .kinds))
            case "send": .send(try SendRequest(from: decoder))
            case "receive": .receive(try ReceiveRequest(from: decoder))
            case "result": .result(try RunResult(from: decoder))
            case "ended":
                .ended(
                    run: try fields.decode(Int.self, forKey: .run),
                    error: try fields.decodeIfPresent(String.self, forKey: .error))
            case "error": .error(try ScriptError(from: decoder))
            case "log": .log(try LogLine(from: decoder))
            case "brain": .brain(try fields.decode([BrainEntry].self, forKey: .entries))
            case "pong": .pong(id: try fields.decode(Int.self, forKey: .id))
            case let other: .unknown(other)
            }
    }

    /// Parses a line; nil if it isn't a message, but something that a script has printed.
    package init?(line: [UInt8]) {
        guard line.first == UInt8(ascii: "{"),
            let message = try? JSONDecoder().decode(HostMessage.self, from: Data(line))
        else { return nil }
        self = message
    }
}
