public import FoundationEssentials
public import Logging

/// The argument of a route's closure: the request, and the robot.
public struct WebRequest: Sendable {
    /// The robot.
    public let robot: Robot
    /// The route that matched.
    public let route: Route
    /// The method; GET for a HEAD request.
    public let method: HTTPMethod
    /// The path as it was sent, without the query.
    public let path: String
    /// The values of the route's parameters, percent-decoded.
    public let parameters: RouteParameters
    /// The query's fields.
    public let query: FormFields
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body, as it was sent.
    public let body: [UInt8]
    /// The address of the client, or of the proxy in front of the server; nil if unknown.
    public let client: String?

    /// The values of a route's parameters.
    ///
    /// Every parameter of the route has a value.
    @dynamicMemberLookup
    public struct RouteParameters: Hashable, Sendable {
        let all: [String: String]

        /// The value of a parameter; empty if the route has no such parameter.
        public subscript(name: String) -> String { all[name] ?? "" }

        /// The value of a parameter, as in `request.parameters.room`.
        public subscript(dynamicMember name: String) -> String { self[name] }
    }

    /// The robot's persistent memory.
    public var brain: Brain { robot.brain }
    /// The robot's HTTP client.
    public var http: any HTTPClient { robot.http }
    /// A logger whose metadata contains the script and the route.
    public var logger: Logger { RouteResponder(robot: robot).logger(of: route) }

    /// The body as text, decoded with the charset of its Content-Type, by default UTF-8.
    ///
    /// Invalid bytes become U+FFFD.
    public var text: String { Charset(contentType: headers["Content-Type"]).text(of: body) }

    /// Decodes the JSON body.
    ///
    /// - Throws: ``WebRefusal`` with status 400 and the reason.
    public func json<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(WebRefusal) -> Value {
        do {
            return try decoder.decode(type, from: Data(body))
        } catch {
            throw WebRefusal(400, "The body isn't the expected JSON: \(DecodingErrorDescription(error)).")
        }
    }

    /// Decodes the body as a URL-encoded form.
    ///
    /// - Throws: ``WebRefusal`` with status 415 if the Content-Type is another one.
    public func form() throws(WebRefusal) -> FormFields {
        let type = headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw WebRefusal(415, "Send a form (application/x-www-form-urlencoded).")
        }
        return FormFields(encoded: text)
    }
}
