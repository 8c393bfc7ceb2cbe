import Logging
import Synchronization

/// Answers an HTTP server's requests with the scripts' routes.
public struct RouteResponder: Sendable {
    let robot: Robot

    package init(robot: Robot) { self.robot = robot }

    /// Answers a request; nil if there is no such route, so that the server may answer it in another way.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path and query as they were sent.
    ///   - headers: The request's header fields.
    ///   - client: The client's address.
    ///   - body: Reads the body for a route, up to a limit in bytes. It is called at most once, after the header fields have
    ///     been checked, and throws ``WebRefusal`` with status 413 if the body is longer.
    public func answer(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders, client: String?,
        body: @escaping @Sendable (_ route: Route, _ limit: Int) async throws -> [UInt8]
    ) async -> WebResponse? {
        guard !robot.isStopping else { return Self.shuttingDown }
        let began = robot.timeSource.now()
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves.first ?? ""
        switch find(method == .head ? .get : method, path) {
        case .none:
            return nil
        case .others(let methods):
            // A Hubot script may have a route for this method.
            let other = await answerUnrouted(method, target, headers: headers, client: client, body: body)
            if let other, other.status != 404 { return other }
            let names = methods.map(\.rawValue)
            var response = WebRefusal(405, "Method not allowed. Allowed methods: \(names.joined(separator: ", ")).")
                .response
            response.headers["Allow"] = names.joined(separator: ", ")
            record(nil, response.status, since: began)
            return response
        case .route(let route, let parameters):
            let response: WebResponse
            do {
                // Unauthenticated requests are refused before their body takes memory.
                try route.proof?.check(headers)
                let limit = route.limit ?? robot.limits.body
                let bytes = try await read({ try await body(route, limit) }, headers)
                let request = WebRequest(
                    robot: robot, route: route, method: route.method, path: String(path),
                    parameters: WebRequest.RouteParameters(all: parameters),
                    query: FormFields(encoded: halves.count > 1 ? halves[1] : ""), headers: headers, body: bytes,
                    client: client)
                response = await answer(route) {
                    if let proof = route.proof { try request.verify(proof) }
                    return try await route.handler(request)
                }
            } catch {
                response = refusal(of: error)
            }
            record(route, response.status, since: began)
            return response
        }
    }

    /// Answers a request that neither a route nor the server itself answers, with the web app of Hubot scripts; nil if there is
    /// none.
    ///
    /// The parameters are those of ``answer(_:_:headers:client:body:)``.
    public func answerUnrouted(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders, client: String?,
        body: @escaping @Sendable (_ route: Route, _ limit: Int) async throws -> [UInt8]
    ) async -> WebResponse? {
        guard let fallback = robot.dispatcher.registry.fallbackRoute, fallback.isActive(),
            !robot.switches.off.contains(fallback.script)
        else { return nil }
        guard !robot.isStopping else { return Self.shuttingDown }
        let began = robot.timeSource.now()
        let route = fallback.route(method)
        let response: WebResponse
        do {
            let bytes = try await read({ try await body(route, robot.limits.body) }, headers)
            let request = FallbackRequest(
                method: method, target: target, headers: headers, body: bytes, client: client)
            response = await answer(route) { try await fallback.answer(request) }
        } catch {
            response = refusal(of: error)
        }
        record(route, response.status, since: began)
        return response
    }

    /// The refusal of a request whose body couldn't be read.
    private func refusal(of error: any Error) -> WebResponse {
        if robot.isStopping { return Self.shuttingDown }
        return (error as? WebRefusal ?? WebRefusal(400, "The request body is incomplete.")).response
    }

    private static let shuttingDown = WebRefusal(503, "I'm shutting down.").response

    /// Counts and logs a response.
    private func record(_ route: Route?, _ status: Int, since began: Duration) {
        robot.metrics.answered(route?.id ?? "none", status: status)
        guard let route, robot.logger.logLevel <= .debug else { return }
        logger(of: route).debug("responded with \(status) in \(robot.timeSource.now() - began)")
    }

    /// Reads a body, and gives up if the robot stops.
    private func read(
        _ body: @escaping @Sendable () async throws -> [UInt8], _ headers: HTTPHeaders
    ) async throws -> [UInt8] {
        guard headers["Transfer-Encoding"] != nil || headers["Content-Length"].map({ $0 != "0" }) ?? false else {
            return try await body()
        }
        let bodyReader = Task { try await body() }
        let stopWatcher = Task { [stopping = robot.stopping] in
            await stopping.wait()
            bodyReader.cancel()
        }
        defer { stopWatcher.cancel() }
        return try await withTaskCancellationHandler {
            try await bodyReader.value
        } onCancel: {
            bodyReader.cancel()
        }
    }

    private enum RouteMatch {
        case route(Route, [String: String])
        /// The path has routes for other methods only.
        case others([HTTPMethod])
        case none
    }

    private func find(_ method: HTTPMethod, _ path: some StringProtocol) -> RouteMatch {
        guard path.hasPrefix("/") else { return .none }
        let parts = RoutePath.parts(of: path)
        let off = robot.switches.off
        let found = robot.routes.compactMap { route in
            off.contains(route.script) ? nil : route.pattern.match(parts).map { (route, $0) }
        }
        if let (route, parameters) = found.first(where: { $0.0.method == method }) { return .route(route, parameters) }
        if found.isEmpty { return .none }
        var methods: [HTTPMethod] = []
        for (route, _) in found where !methods.contains(route.method) { methods.append(route.method) }
        return .others(methods.contains(.get) ? methods + [.head] : methods)
    }

    /// Runs a route's closure, and returns its response or one for its error.
    private func answer(_ route: Route, _ body: @escaping @Sendable () async throws -> WebResponse) async -> WebResponse
    {
        robot.inFlight.begin()
        defer { robot.inFlight.end() }
        let answer = Mutex<WebResponse?>(nil)
        let part = RunningScriptPart(script: route.script, part: route.id)
        let outcome = await robot.runner.invoke(part, deadline: route.deadline) {
            let response = try await body()
            answer.withLock { $0 = response }
        }
        switch outcome {
        case .ended:
            let response = answer.withLock { $0 } ?? .empty
            if 200...599 ~= response.status { return response }
            robot.metrics.error(in: route.script)
            logger(of: route).error(
                "the route returned the invalid status \(response.status); valid statuses are 200 to 599")
            return WebRefusal(500, "Sorry, something went wrong.").response
        case .paused, .cancelled:
            return Self.shuttingDown
        case .expired:
            robot.metrics.timeout(in: route.script)
            logger(of: route).error("a request timed out: its deadline passed")
            return WebRefusal(503, "That took too long, so I gave up on it.").response
        case .failed(let error as WebRefusal) where 200...599 ~= error.status:
            logger(of: route).debug("a request was refused: \(error)")
            return error.response
        case .failed(let error):
            let userError = error as? any UserFacingError
            if let userError, !userError.isFailure {
                logger(of: route).debug("a request was refused: \(error)")
                return WebRefusal(422, userError.userMessage).response
            }
            robot.metrics.error(in: route.script)
            logger(of: route).error("a request failed: \(error)")
            return WebRefusal(userError == nil ? 500 : 503, userError?.userMessage ?? "Sorry, something went wrong.")
                .response
        }
    }

    /// The problems with the routes, a line each.
    static func problems(_ routes: [Route]) -> [String] {
        var problems = routes.compactMap { route in
            route.pattern.problem.map { "\(route.script) has the invalid route \(route.id): \($0)" }
        }
        for (index, route) in routes.enumerated() {
            let other = routes[..<index].first { $0.method == route.method && $0.pattern.isSame(as: route.pattern) }
            guard let other else { continue }
            problems.append(
                "\(route.script) and \(other.script) both define the route \(route.id): change the path of one")
        }
        return problems
    }

    func logger(of route: Route) -> Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(route.script)"
        logger[metadataKey: "route"] = "\(route.id)"
        return logger
    }

    /// The largest body that any route accepts, in bytes.
    public var longestBody: Int { robot.routes.map { $0.limit ?? robot.limits.body }.max() ?? robot.limits.body }

    /// The path of the help page; nil if no enabled script has one.
    public var helpPage: String? {
        let path = "/heybot/help"
        guard case .route = find(.get, path) else { return nil }
        return path
    }

    /// Counts a response that didn't come from a route.
    ///
    /// - Parameters:
    ///   - source: The source of the response, such as `files`; `none` for an error.
    ///   - status: The response's status.
    public func count(_ source: String, status: Int) {
        robot.metrics.answered(source, status: status)
    }
}
