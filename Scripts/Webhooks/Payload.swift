import Heybot
import HeybotSupport

extension Webhooks {
    /// A payload, with the header fields of its request, some of which name the event.
    struct Payload: Sendable {
        /// The maximum size of a form in bytes.
        private static let largestForm = 512 << 10

        let json: JSONValue
        private let headers: HTTPHeaders

        init(_ json: JSONValue, headers: HTTPHeaders = [:]) {
            self.json = json
            self.headers = headers
        }

        /// Reads the body of a request: JSON, a form, or plain text, which becomes the field `text`.
        ///
        /// Content types are often wrong: `curl -d` declares everything as a form.
        ///
        /// - Throws: ``WebRefusal`` if the body is empty, or invalid.
        init(_ request: WebRequest) throws(WebRefusal) {
            let declared = Self.header("Content-Type", of: request.headers) ?? ""
            let type = declared.prefix { $0 != ";" && $0 != " " }.lowercased()
            let isJSON = type == "application/json" || type.hasSuffix("+json")
            let isForm = type == "application/x-www-form-urlencoded"
            let isText = type.isEmpty || type.hasPrefix("text/") || type == "application/octet-stream"
            guard isJSON || isForm || isText else {
                throw WebRefusal(415, "I can't read \(Webhooks.safeLine(type, limit: 60)): send JSON, a form or text.")
            }
            let text = request.text
            guard !isForm || text.utf8.count <= Self.largestForm else {
                throw WebRefusal(413, "A form may have at most \(Self.largestForm >> 10) KiB.")
            }
            // Before any character is compared.
            guard !CombiningMarks.areTooMany(in: text),
                !isForm || !CombiningMarks.areTooMany(in: percentDecoded(text.utf8, isForm: true))
            else { throw WebRefusal(400, "The text has too many combining marks in a row.") }
            guard let first = text.first(where: { !$0.isWhitespace }) else {
                throw WebRefusal(400, "There is nothing to post: send JSON, a form or text.")
            }
            if isJSON || first == "{" || first == "[", let json = JSONValue(text) {
                // A JSON string is a text.
                let message = json.text.map { JSONValue.object(["text": .string($0)]) }
                self.init(message ?? json, headers: request.headers)
            } else if isJSON {
                throw WebRefusal(400, "The body isn't valid JSON, or is nested too deeply.")
            } else if isForm {
                self.init(try Self.json(ofForm: text), headers: request.headers)
            } else {
                self.init(.object(["text": .string(text)]), headers: request.headers)
            }
        }

        /// Returns the value of a header field that names a type or an event; nil if it is missing, or no name.
        func header(_ name: String) -> String? { Self.header(name, of: headers) }

        private static func header(_ name: String, of headers: HTTPHeaders) -> String? {
            headers[name].flatMap { value in
                value.utf8.count <= 200 && value.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? value : nil
            }
        }

        /// Reads a form: Slack's `payload`, which is JSON, or fields with a text.
        private static func json(ofForm text: String) throws(WebRefusal) -> JSONValue {
            let form = FormFields(encoded: text)
            if let payload = form["payload"] {
                guard let json = JSONValue(payload) else {
                    throw WebRefusal(400, "The form's field payload isn't valid JSON.")
                }
                return json
            }
            // A text that was sent with curl -d has no fields.
            if form.fields.allSatisfy(\.value.isEmpty) { return .object(["text": .string(text)]) }
            let fields = form.fields.map { ($0.name, JSONValue.string($0.value)) }
            return .object(Dictionary(fields, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// A format of payloads.
    protocol Format: Sendable {
        /// Reads a payload; nil if it is of another format.
        static func read(_ payload: Payload) -> Reading?
    }

    /// The formats, in the order in which they are tried: those with telling headers or keys first.
    private static let formats: [any Format.Type] = [
        GitLab.self, Gitea.self, Sentry.self, Alertmanager.self, Grafana.self, UptimeKuma.self, Jenkins.self,
        Discord.self, Slack.self, PlainFields.self
    ]

    /// Reads a payload of any format.
    static func read(_ payload: Payload) -> Reading {
        for format in formats {
            if let reading = format.read(payload) { return reading }
        }
        return .notice(unknown(payload.json))
    }

    /// Describes a payload that isn't recognized by its keys, without their values, which may be secret.
    private static func unknown(_ json: JSONValue) -> Notice {
        let most = 20
        let isList = json.isArray
        let keys = (isList ? json.elements.first ?? .null : json).keys(limit: most + 1)
        let list = keys.prefix(most).joined(separator: ", ") + (keys.count > most ? ", …" : "")
        let what = keys.isEmpty ? "It has no keys." : "\(isList ? "The keys of its first item" : "Its keys"): \(list)"
        var notice = Notice(texts: ["I got a payload whose format I don't know. \(what)"])
        notice.id = "unknown \(list)"
        notice.unknownKeys = Array(keys.prefix(most))
        return notice
    }
}
