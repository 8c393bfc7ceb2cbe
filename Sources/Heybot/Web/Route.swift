/// A path of the robot's web server that a script answers.
public struct Route: Identifiable, Sendable {
    /// Its method and path, as `POST /github/:room`.
    public var id: String { "\(method) \(path)" }
    /// The script that registered it.
    public let script: String
    /// What it is asked to do.
    public let method: HTTPMethod
    /// Its path; a part with a colon in front is a parameter.
    public var path: String { pattern.description }
    /// How many bytes a request's body may have; the robot's limit if nil.
    public let limit: Int?
    /// How long a request may take; the robot's deadline if nil.
    public let deadline: Duration?
    /// What a request has to prove before the handler runs; nil if nothing.
    public let proof: WebRequest.Proof?
    /// Whether it is a reason to start the web server; those that come with the robot aren't.
    public let startsServer: Bool

    let pattern: RoutePath
    let handler: @Sendable (WebRequest) async throws -> WebResponse
}

extension RobotBuilder {
    /// Answers GET, and HEAD with the same but for the body.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func get(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.get, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Answers POST.
    ///
    /// ```swift
    /// robot.post("/say/:room", proof: .token(secret)) { request in
    ///     try await request.robot.messageRoom(request.parameters["room"], request.text)
    ///     return .text("said")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: `/say/:room` takes any part there, which is then ``WebRequest/parameters``' `room`.
    ///   - limit: How many bytes a body may have, if not as many as the robot's others.
    ///   - deadline: How long it may take, if not as long as the robot's others.
    ///   - proof: How a request proves that its sender knows a secret, if it has to; others are refused with status 401. A token
    ///     is checked before the body is read, and so is whether there is a signature at all.
    ///   - startsServer: Whether this route is a reason to start the web server if nothing else is.
    ///   - handler: What to answer. It may run for several requests at once. What it throws is answered as
    ///     ``WebRefusal`` tells.
    public mutating func post(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.post, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Answers PUT.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func put(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.put, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Answers PATCH.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func patch(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.patch, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Answers DELETE.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func delete(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.delete, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }
}
