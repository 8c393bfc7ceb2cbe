/// A route of the robot's web server, registered by a script.
public struct Route: Identifiable, Sendable {
    /// The method and path, such as `POST /github/:room`.
    public var id: String { "\(method) \(path)" }
    /// The script that registered it.
    public let script: String
    /// The method.
    public let method: HTTPMethod
    /// The path.
    ///
    /// A component that begins with a colon is a parameter.
    public var path: String { pattern.description }
    /// The maximum size of a request's body in bytes; nil for the robot's limit.
    public let limit: Int?
    /// The deadline of a request; nil for the robot's.
    public let deadline: Duration?
    /// The proof that a request needs before the handler runs; nil if it needs none.
    public let proof: WebRequest.Proof?
    /// Whether the web server is started because of this route; false for the robot's own routes.
    public let startsServer: Bool

    let pattern: RoutePath
    let handler: @Sendable (WebRequest) async throws -> WebResponse
}
