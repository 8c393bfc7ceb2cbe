public import FoundationEssentials
public import Logging

/// What a route's closure works with: what is asked, and the robot that is asked.
public struct WebRequest: Sendable {
    /// The robot that is asked.
    public let robot: Robot
    /// The route that answers.
    public let route: Route
    /// What is to be done; HEAD comes as GET.
    public let method: HTTPMethod
    /// The path as it was asked for, without the query.
    public let path: String
    /// What stands in the path where the route's parameters are, percent-decoded.
    public let parameters: Parameters
    /// The query's fields.
    public let query: FormFields
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, as it was sent.
    public let body: [UInt8]
    /// The address of whoever asks, or of the proxy in front; nil if it isn't known.
    public let client: String?

    /// What stands in a path where its route has parameters; each of these is there.
    @dynamicMemberLookup
    public struct Parameters: Hashable, Sendable {
        let all: [String: String]

        /// What stands if the route has the parameter of that name; empty if it has none such.
        public subscript(name: String) -> String { all[name] ?? "" }

        /// The same, as `request.parameters.room`.
        public subscript(dynamicMember name: String) -> String { self[name] }
    }

    /// What the robot remembers.
    public var brain: Brain { robot.brain }
    /// What reaches the web.
    public var http: any HTTPClient { robot.http }
    /// Says by itself which script and route it is about.
    public var logger: Logger { Routes(robot: robot).logger(of: route) }

    /// The body as text, by the charset that its type names, or else UTF-8; what can't be read is mended with U+FFFD.
    public var text: String { Charset(contentType: headers["Content-Type"]).text(of: body) }

    /// The body as a value.
    ///
    /// - Throws: ``WebRefusal`` with status 400 that says what is wrong with it.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(WebRefusal) -> Value {
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw WebRefusal(400, "The body isn't the JSON I expect: \(JSONProblem(error)).")
        }
    }

    /// The body as a form's fields.
    ///
    /// - Throws: ``WebRefusal`` with status 415 if the header Content-Type says that it isn't a form.
    public func form() throws(WebRefusal) -> FormFields {
        let type = headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw WebRefusal(415, "Send a form, as application/x-www-form-urlencoded.")
        }
        return FormFields(encoded: text)
    }
}
