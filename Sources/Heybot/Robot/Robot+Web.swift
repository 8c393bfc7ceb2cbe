import Logging
import Synchronization

// How what the web asks gets to the scripts' routes.

extension Robot {
    /// Whether its web server is to run: where a script has a route of its own, or it was asked for.
    var wantsServer: Bool {
        server?.isWantedAnyway == true || routes.contains { $0.startsServer && !switches.off.contains($0.script) }
    }

    /// Runs its server, where it has one that is wanted, and returns when it listens; one that fails stops the robot.
    func serve() async -> Task<(any Error)?, Never>? {
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

    func logger(of route: Route) -> Logger {
        var logger = logger
        logger[metadataKey: "script"] = "\(route.script)"
        logger[metadataKey: "route"] = "\(route.id)"
        return logger
    }

    /// How many messages wait to be matched.
    package var waitingMessages: Int { queue.count }

    /// The answer to a request, as ``Routes/answer(_:_:headers:client:body:)`` gives it.
    package func answer(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders, _ client: String?,
        _ body: @escaping @Sendable (Int) async throws -> [UInt8]
    ) async -> WebResponse {
        let began = timeline.now()
        let (route, response) = await find(method, target, headers, client, body)
        counters.answered(route?.id, status: response.status)
        if logger.logLevel <= .debug {
            let place = route.map(\.id) ?? "\(method) of what isn't there"
            logger.debug("\(place) was answered with \(response.status) in \(timeline.now() - began)")
        }
        return response
    }

    private func find(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders, _ client: String?,
        _ body: @escaping @Sendable (Int) async throws -> [UInt8]
    ) async -> (Route?, WebResponse) {
        guard !isStopping else { return (nil, WebRefusal(503, "I'm on my way out.").response) }
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves.first ?? ""
        switch find(method == .head ? .get : method, path) {
        case .none:
            return (nil, WebRefusal(404, "There is nothing here.").response)
        case .others(let methods):
            var response = WebRefusal(405, "That can't be done here.").response
            response.headers["Allow"] = methods.map(\.rawValue).joined(separator: ", ")
            return (nil, response)
        case .route(let route, let parameters):
            activity.begin()
            defer { activity.end() }
            do {
                let request = WebRequest(
                    robot: self, route: route, method: route.method, path: String(path),
                    parameters: WebRequest.Parameters(all: parameters),
                    query: FormFields(encoded: halves.count > 1 ? halves[1] : ""), headers: headers,
                    body: try await body(route.limit ?? limits.body), client: client)
                return (route, await answer(route) { try await route.handler(request) })
            } catch {
                return (route, (error as? WebRefusal ?? WebRefusal(400, "The body broke off.")).response)
            }
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
        let off = switches.off
        let found = routes.compactMap { route in
            off.contains(route.script) ? nil : route.pattern.match(parts).map { (route, $0) }
        }
        if let (route, parameters) = found.first(where: { $0.0.method == method }) { return .route(route, parameters) }
        if found.isEmpty { return .none }
        let methods = found.map(\.0.method)
        return .others(methods.contains(.get) ? methods + [.head] : methods)
    }

    /// Runs a route's code, and makes an answer of whatever comes of it.
    private func answer(_ route: Route, _ body: @escaping @Sendable () async throws -> WebResponse) async -> WebResponse
    {
        let answer = Mutex<WebResponse?>(nil)
        let lane = Lane(pool, ScriptPart(script: route.script, part: route.id))
        let outcome = await invoke(on: lane, deadline: route.deadline) {
            let response = try await body()
            answer.withLock { $0 = response }
        }
        switch outcome {
        case .ended:
            return answer.withLock { $0 } ?? .empty
        case .paused, .cancelled:
            return WebRefusal(503, "I'm on my way out.").response
        case .expired:
            counters.timeout(in: route.script)
            logger(of: route).error("a request was given up: its deadline passed")
            return WebRefusal(503, "That took too long, so I gave up on it.").response
        case .failed(let error as WebRefusal):
            logger(of: route).debug("a request was refused: \(error)")
            return error.response
        case .failed(let error):
            let spoken = error as? any SpokenError
            if let spoken, !spoken.isFailure {
                logger(of: route).debug("a request was refused: \(error)")
                return WebRefusal(422, spoken.spoken).response
            }
            counters.error(in: route.script)
            logger(of: route).error("a request failed: \(error)")
            return WebRefusal(spoken == nil ? 500 : 503, spoken?.spoken ?? "Sorry, something went wrong.").response
        }
    }

    /// What is wrong with the routes, a line each.
    static func problems(of routes: [Route]) -> [String] {
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
}
