/// Answers the requests that no route answers: a web app in another process, such as that of Hubot scripts.
struct FallbackRoute: Sendable {
    /// The script that registered it.
    let script: String
    /// Whether the web server is started because of it.
    let startsServer: Bool
    /// Whether it answers requests now.
    let isActive: @Sendable () -> Bool
    let answer: @Sendable (FallbackRequest) async throws -> WebResponse

    /// The route in whose name a request is answered.
    func route(_ method: HTTPMethod) -> Route {
        Route(
            script: script, method: method, limit: nil, deadline: nil, proof: nil, startsServer: startsServer,
            pattern: RoutePath("/*"), handler: { _ in .empty })
    }
}

/// A request that no route answers, as the client has sent it.
package struct FallbackRequest: Sendable {
    /// The method.
    package let method: HTTPMethod
    /// The path and query.
    package let target: String
    /// The header fields.
    package let headers: HTTPHeaders
    /// The body.
    package let body: [UInt8]
    /// The address of the client, or of the proxy in front of the server; nil if unknown.
    package let client: String?
}
