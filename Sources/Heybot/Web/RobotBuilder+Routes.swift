extension RobotBuilder {
    /// Registers a route for GET, and for HEAD, which gets the same response without the body.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func get(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.get, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Registers a route for POST.
    ///
    /// ```swift
    /// robot.post("/say/:room", proof: .token(secret)) { request in
    ///     try await request.robot.messageRoom(request.parameters["room"], request.text)
    ///     return .text("posted")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path. In `/say/:room` the second component is a parameter, `room` of ``WebRequest/parameters``.
    ///   - limit: The maximum size of a body in bytes; by default the robot's limit.
    ///   - deadline: The deadline of a request; by default the robot's.
    ///   - proof: The proof that the sender knows a secret. A request without it is refused with status 401. A token, and
    ///     whether there is a signature at all, are checked before the body is read.
    ///   - startsServer: Whether the web server is started because of this route.
    ///   - handler: The closure that handles a request. It may run for several requests at once. For the errors it may
    ///     throw, see ``WebRefusal``.
    public mutating func post(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.post, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Registers a route for PUT.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func put(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.put, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Registers a route for PATCH.
    ///
    /// The parameters are those of ``post(_:limit:deadline:proof:startsServer:_:)``.
    public mutating func patch(
        _ path: String, limit: Int? = nil, deadline: Duration? = nil,
        proof: WebRequest.Proof? = nil, startsServer: Bool = true,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        route(.patch, path, limit: limit, deadline: deadline, proof: proof, startsServer: startsServer, handler)
    }

    /// Registers a route for DELETE.
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
