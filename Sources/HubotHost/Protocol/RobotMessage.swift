import FoundationEssentials
package import HeybotSupport

/// What the robot tells the script host; see the guide to the protocol.
package enum RobotMessage: Hashable, Sendable {
    case start(Start)
    case message(run: Int, listener: Int, message: WireMessage, hold: Bool)
    case resume(run: Int, continues: Bool)
    case cancel(run: Int)
    case end(number: Int)
    case middleware(run: Int, MiddlewareQuestion)
    case response(request: Int, error: String?, value: JSONValue? = nil)
    case users([WireUser])
    case brain([BrainEntry], isLast: Bool)
    case webRequest(WebRequestHead, WebBodyPart)
    case webBody(WebBodyPart)
    case webClosed(id: Int)
    case ping(id: Int)
    case retire
    case stop

    /// What the host needs to load the scripts.
    package struct Start: Codable, Hashable, Sendable {
        package var name: String
        package var alias: String?
        package var version: String
        package var adapters: [String]
        package var logLevel: String
        /// In milliseconds.
        package var loadTime: Int
        package var scripts: [ScriptFile]
        package var external: External?
        package var modules: [String]
        package var cache: String?
        /// Whether the robot keeps the brain, and sends it.
        package var brain: Bool
        /// Whether the robot answers operations on the data store.
        package var datastore = true
        /// Whether the robot has a web server.
        package var web = true
        /// After how many milliseconds without returning a script counts as busy.
        package var busyTime = 1_000
    }

    /// The packages with scripts of a Hubot's folder.
    package struct External: Codable, Hashable, Sendable {
        package var folder: String
        package var packages: JSONValue
    }
}

/// A script's file, and its unique name.
package struct ScriptFile: Codable, Hashable, Sendable {
    package var id: String
    package var path: String

    package init(id: String, path: String) { (self.id, self.path) = (id, path) }
}

/// A request to the web server, as the host gets it.
package struct WebRequestHead: Codable, Hashable, Sendable {
    package var method: String
    /// The path and query.
    package var url: String
    /// Pairs of name and value.
    package var headers: [[String]]
    package var client: String?
    package var secure: Bool
    /// The scripts whose routes mustn't answer, because they are off.
    package var disabled: [String]?

    package init(
        method: String, url: String, headers: [[String]], client: String?, secure: Bool = false,
        disabled: [String]? = nil
    ) {
        (self.method, self.url, self.headers) = (method, url, headers)
        (self.client, self.secure, self.disabled) = (client, secure, disabled)
    }
}

/// A message, as the host gets it.
package struct WireMessage: Codable, Hashable, Sendable {
    package var number: Int
    package var kind: String
    package var id: String?
    package var room: String?
    package var user: WireUser?
    package var text: String?
    package var command: String?
    /// For `catchAll`: the kind of the message that nothing has handled.
    package var original: String?
    package var token: Int?
    /// The scripts that are off in the room, so that their middleware mustn't run; a field of the message to the host.
    package var disabled: [String]?

    private enum CodingKeys: CodingKey {
        case number, kind, id, room, user, text, command, original, token
    }

    package init(
        number: Int, kind: String, id: String? = nil, room: String? = nil, user: WireUser? = nil, text: String? = nil,
        command: String? = nil, original: String? = nil, token: Int? = nil, disabled: [String]? = nil
    ) {
        (self.number, self.kind, self.id, self.room) = (number, kind, id, room)
        (self.user, self.text, self.command, self.original, self.token) = (user, text, command, original, token)
        self.disabled = disabled
    }
}

/// A user, as the host gets it.
package struct WireUser: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// The network's name.
    package var adapter: String

    package init(id: String, name: String, adapter: String) {
        (self.id, self.name, self.adapter) = (id, name, adapter)
    }
}

/// A kind of middleware.
package enum MiddlewareKind: String, Codable, Hashable, Sendable {
    case receive, listener, response
}

/// What the robot asks the host's middleware about.
package struct MiddlewareQuestion: Codable, Hashable, Sendable {
    package var kind: MiddlewareKind
    package var message: WireMessage
    /// For `listener`: the listener's options.
    package var listener: [String: [String: String]]?
    /// For `response`: how the texts are sent.
    package var method: String?
    package var strings: [String]?

    package init(
        _ kind: MiddlewareKind, _ message: WireMessage, listenerID: String? = nil, method: String? = nil,
        strings: [String]? = nil
    ) {
        (self.kind, self.message, self.method, self.strings) = (kind, message, method, strings)
        listener = listenerID.map { ["options": ["id": $0]] }
    }
}

/// One entry of Hubot's brain: the path in `data`, and its value; nil if it is gone.
package struct BrainEntry: Codable, Hashable, Sendable {
    package var key: String
    package var value: JSONValue?

    package init(_ key: String, _ value: JSONValue?) { (self.key, self.value) = (key, value) }

    /// Its size as JSON, in bytes.
    var encodedSize: Int { (try? JSONEncoder().encode(self).count) ?? 0 }
}

extension RobotMessage: Encodable {
    private enum Key: String, CodingKey {
        case type, `protocol`, run, listener, message, hold, `continue`, number, request, error, value, users, id,
            entries, last, disabled
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        func type(_ name: String) throws { try fields.encode(name, forKey: .type) }
        switch self {
        case .start(let start):
            try type("start")
            try fields.encode(1, forKey: .protocol)
            try start.encode(to: encoder)
        case .message(let run, let listener, let message, let hold):
            try type("message")
            try fields.encode(run, forKey: .run)
            try fields.encode(listener, forKey: .listener)
            try fields.encode(message, forKey: .message)
            try fields.encodeIfPresent(message.disabled, forKey: .disabled)
            if hold { try fields.encode(true, forKey: .hold) }
        case .resume(let run, let continues):
            try type("resume")
            try fields.encode(run, forKey: .run)
            try fields.encode(continues, forKey: .continue)
        case .cancel(let run):
            try type("cancel")
            try fields.encode(run, forKey: .run)
        case .end(let number):
            try type("end")
            try fields.encode(number, forKey: .number)
        case .middleware(let run, let question):
            try type("middleware")
            try fields.encode(run, forKey: .run)
            try question.encode(to: encoder)
            try fields.encodeIfPresent(question.message.disabled, forKey: .disabled)
        case .response(let request, let error, let value):
            try type("response")
            try fields.encode(request, forKey: .request)
            try fields.encodeIfPresent(error, forKey: .error)
            try fields.encodeIfPresent(value, forKey: .value)
        case .users(let users):
            try type("users")
            try fields.encode(users, forKey: .users)
        case .brain(let entries, let isLast):
            try type("brain")
            try fields.encode(entries, forKey: .entries)
            try fields.encode(isLast, forKey: .last)
        case .webRequest(let head, let body):
            try type("webRequest")
            try head.encode(to: encoder)
            try body.encode(to: encoder)
        case .webBody(let part):
            try type("webBody")
            try part.encode(to: encoder)
        case .webClosed(let id):
            try type("webClosed")
            try fields.encode(id, forKey: .id)
        case .retire: try type("retire")
        case .ping(let id):
            try type("ping")
            try fields.encode(id, forKey: .id)
        case .stop: try type("stop")
        }
    }

    /// About how many bytes it has.
    ///
    /// The brain isn't counted: however long it is, the host has to get it.
    var approximateSize: Int {
        switch self {
        case .brain: 0
        case .webRequest(_, let part), .webBody(let part): 500 + (part.body?.utf8.count ?? 0)
        case .message(_, _, let message, _): 500 + (message.text?.utf8.count ?? 0) * 2
        case .middleware(_, let question):
            500 + (question.message.text?.utf8.count ?? 0) * 2
                + (question.strings ?? []).reduce(0) { $0 + $1.utf8.count }
        case .response(_, _, let value): 500 + (value?.approximateSize ?? 0)
        case .start, .resume, .cancel, .end, .users, .webClosed, .ping, .retire, .stop: 500
        }
    }
}
