import Logging
import Synchronization

// How what the web asks gets to the scripts' routes.

extension Robot {
    /// Whether its web server is to run: if a script has a route of its own, or it was asked for.
    package var wantsServer: Bool {
        server?.isWantedAnyway == true || routes.contains { $0.startsServer && !switches.off.contains($0.script) }
    }

    /// Whether its routes are answered on the web.
    public var answersWeb: Bool { server != nil && wantsServer }

    /// Runs its server, if it has one that is wanted, and returns when it listens; one that fails stops the robot.
    func serve() async -> Task<(any Error)?, Never>? {
        _ = LargeBlocks.areMapped
        guard let server, wantsServer else { return nil }
        let isListening = Gate()
        let serving = Task<(any Error)?, Never> {
            defer { isListening.open() }
            do {
                try await server.run(Routes(robot: self)) { isListening.open() }
                return nil
            } catch {
                if Task.isCancelled { return nil }
                stop()
                return error
            }
        }
        await isListening.wait()
        return serving
    }

    /// How many messages wait to be matched.
    package var waitingMessages: Int { queue.count }

    /// The path of the page with what it can do; nil if no script has one that is on.
    package var helpPage: String? { Routes(robot: self).helpPage }
}

/// Where an HTTP server takes what it is asked.
public struct Routes: Sendable {
    let robot: Robot

    package init(robot: Robot) { self.robot = robot }

    /// The answer to a request; nil if there is no such route, so that the server may have an answer of its own.
    ///
    /// - Parameters:
    ///   - method: What is to be done.
    ///   - target: The path and query as they were sent.
    ///   - headers: The request's header fields.
    ///   - client: The address of whoever asks.
    ///   - body: Reads the body for a route, of at most so many bytes; called at most once, after what the route wants to
    ///     see in the header fields. It throws ``WebRefusal`` with status 413 if the body is longer.
    public func answer(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders, client: String?,
        body: @escaping @Sendable (_ route: Route, _ limit: Int) async throws -> [UInt8]
    ) async -> WebResponse? {
        guard !robot.isStopping else { return Self.leaving }
        let began = robot.timeline.now()
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves.first ?? ""
        switch find(method == .head ? .get : method, path) {
        case .none:
            return nil
        case .others(let methods):
            let names = methods.map(\.rawValue)
            var response = WebRefusal(405, "That can't be done here; this can: \(names.joined(separator: ", ")).")
                .response
            response.headers["Allow"] = names.joined(separator: ", ")
            note(nil, response.status, since: began)
            return response
        case .route(let route, let parameters):
            let response: WebResponse
            do {
                // Whoever has no proof isn't listened to: a body takes memory.
                try route.proof?.check(headers)
                let limit = route.limit ?? robot.limits.body
                let bytes = try await read({ try await body(route, limit) }, headers)
                let request = WebRequest(
                    robot: robot, route: route, method: route.method, path: String(path),
                    parameters: WebRequest.Parameters(all: parameters),
                    query: FormFields(encoded: halves.count > 1 ? halves[1] : ""), headers: headers, body: bytes,
                    client: client)
                response = await answer(route) {
                    if let proof = route.proof { try request.verify(proof) }
                    return try await route.handler(request)
                }
            } catch {
                response =
                    robot.isStopping
                    ? Self.leaving : (error as? WebRefusal ?? WebRefusal(400, "The body broke off.")).response
            }
            note(route, response.status, since: began)
            return response
        }
    }

    private static let leaving = WebRefusal(503, "I'm on my way out.").response

    /// Counts and logs an answer.
    private func note(_ route: Route?, _ status: Int, since began: Duration) {
        robot.counters.answered(route?.id ?? "none", status: status)
        guard let route, robot.logger.logLevel <= .debug else { return }
        logger(of: route).debug("it was answered with \(status) in \(robot.timeline.now() - began)")
    }

    /// Reads a body, which ends when the robot does.
    private func read(
        _ body: @escaping @Sendable () async throws -> [UInt8], _ headers: HTTPHeaders
    ) async throws -> [UInt8] {
        guard headers["Transfer-Encoding"] != nil || headers["Content-Length"].map({ $0 != "0" }) ?? false else {
            return try await body()
        }
        let reading = Task { try await body() }
        let heeding = Task { [stopping = robot.stopping] in
            await stopping.wait()
            reading.cancel()
        }
        defer { heeding.cancel() }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    private enum Found {
        case route(Route, [String: String])
        /// There are routes of that path, for other methods.
        case others([HTTPMethod])
        case none
    }

    private func find(_ method: HTTPMethod, _ path: some StringProtocol) -> Found {
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

    /// Runs a route's code, and makes an answer of whatever comes of it.
    private func answer(_ route: Route, _ body: @escaping @Sendable () async throws -> WebResponse) async -> WebResponse
    {
        robot.activity.begin()
        defer { robot.activity.end() }
        let answer = Mutex<WebResponse?>(nil)
        let part = ScriptPart(script: route.script, part: route.id)
        let outcome = await robot.runner.invoke(part, deadline: route.deadline) {
            let response = try await body()
            answer.withLock { $0 = response }
        }
        switch outcome {
        case .ended:
            let response = answer.withLock { $0 } ?? .empty
            if 200...599 ~= response.status { return response }
            robot.counters.error(in: route.script)
            logger(of: route).error("a request was answered with status \(response.status): it must be from 200 to 599")
            return WebRefusal(500, "Sorry, something went wrong.").response
        case .paused, .cancelled:
            return Self.leaving
        case .expired:
            robot.counters.timeout(in: route.script)
            logger(of: route).error("a request was given up: its deadline passed")
            return WebRefusal(503, "That took too long, so I gave up on it.").response
        case .failed(let error as WebRefusal) where 200...599 ~= error.status:
            logger(of: route).debug("a request was refused: \(error)")
            return error.response
        case .failed(let error):
            let spoken = error as? any SpokenError
            if let spoken, !spoken.isFailure {
                logger(of: route).debug("a request was refused: \(error)")
                return WebRefusal(422, spoken.spoken).response
            }
            robot.counters.error(in: route.script)
            logger(of: route).error("a request failed: \(error)")
            return WebRefusal(spoken == nil ? 500 : 503, spoken?.spoken ?? "Sorry, something went wrong.").response
        }
    }

    /// What is wrong with the routes, a line each.
    static func problems(_ routes: [Route]) -> [String] {
        var problems = routes.compactMap { route in
            route.pattern.problem.map { "\(route.script) has the route \(route.id), but \($0)" }
        }
        for (index, route) in routes.enumerated() {
            let other = routes[..<index].first { $0.method == route.method && $0.pattern.isSame(as: route.pattern) }
            guard let other else { continue }
            problems.append("\(route.script) and \(other.script) both answer \(route.id): give one another path")
        }
        return problems
    }

    func logger(of route: Route) -> Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(route.script)"
        logger[metadataKey: "route"] = "\(route.id)"
        return logger
    }

    /// The longest body that a route takes, in bytes.
    public var longestBody: Int { robot.routes.map { $0.limit ?? robot.limits.body }.max() ?? robot.limits.body }

    /// The path of the page with what the robot can do; nil if no script has one.
    public var helpPage: String? {
        let path = "/heybot/help"
        guard case .route = find(.get, path) else { return nil }
        return path
    }

    /// Counts an answer that no route gave.
    ///
    /// - Parameters:
    ///   - source: What gave it, as `files`; `none` if nothing did.
    ///   - status: Its status.
    public func count(_ source: String, status: Int) {
        robot.counters.answered(source, status: status)
    }
}

/// What brings the world's requests to a robot's routes.
public protocol HTTPServer: Sendable {
    /// Whether it is to run even if no script has a route of its own.
    var isWantedAnyway: Bool { get }

    /// Answers requests until the task is cancelled; then it takes no more, and returns when those it has are answered.
    ///
    /// It is not called before the brain is open and every script registered, and before it listens no adapter runs.
    ///
    /// - Parameters:
    ///   - routes: Where it takes what it is asked.
    ///   - listening: To be called when it listens.
    /// - Throws: What keeps it from listening, in one line that names the cure.
    func run(_ routes: Routes, listening: @escaping @Sendable () -> Void) async throws
}
