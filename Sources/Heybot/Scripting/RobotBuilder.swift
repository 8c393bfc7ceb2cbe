public import _StringProcessing

/// What scripts register on; the robot that runs is made from it.
///
/// Only listeners come and go later.
public struct RobotBuilder: Sendable {
    package private(set) var listeners: [Listener] = []
    private(set) var handlers: [EventHandler] = []
    private(set) var schedule: [ScheduledWork] = []
    private(set) var middleware = Middleware()
    private(set) var routes: [Route] = []
    /// What is wrong with what was registered, a line each.
    var problems: [String] = []
    /// What has to be set before a script's commands can work, by the script's name.
    private(set) var missingSettings: [String: String] = [:]
    /// What the scripts' settings are set to, by name.
    let values: [String: String]
    /// Whose turn it is to register.
    private(set) var script = ""
    /// The names of its settings.
    private(set) var knownSettings: Set<String> = []
    private var count = 0

    package init(settings: [String: String] = [:]) {
        values = settings
    }

    mutating func register(_ script: any Script) {
        self.script = script.name
        knownSettings = Set(script.settings.map(\.name))
        count = 0
        script.register(on: &self)
    }

    /// Says that the script's commands can't work until something is set; help marks them.
    ///
    /// - Parameter settings: What has to be set, by the name that people set it by.
    public mutating func lacks(_ settings: String) {
        missingSettings[script] = settings
    }

    // MARK: Listeners

    /// Listens to everything said in every room the robot is in.
    ///
    /// - Parameters:
    ///   - pattern: Found anywhere in the text. Ignores case; `\b` is the plain word boundary.
    ///   - id: Names the listener; its script's name and a number if you don't.
    ///   - help: `usage - what it does`, a line for each command.
    ///   - example: A message that it answers; the tests of help say it.
    ///   - allow: Who may use it.
    ///   - coolDown: How long it rests after it was used.
    ///   - deadline: How long the closure may take, if not as long as the robot's others.
    ///   - caseSensitive: Whether case matters to the pattern.
    ///   - unchecked: Takes a pattern that could take forever to match, since its author knows that it doesn't. Others of
    ///     that kind are refused at start: nothing can stop a match once it runs.
    ///   - file: Where it is registered, for the robot's words about it.
    ///   - line: Where in that file.
    ///   - handler: What to do about it. It may run for several messages at once.
    public mutating func hear<Output: Sendable>(
        _ pattern: sending Regex<Output>, id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, coolDown: CoolDown? = nil, deadline: Duration? = nil, caseSensitive: Bool = false,
        unchecked: Bool = false, file: String = #fileID, line: Int = #line,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        let pattern = Pattern(pattern, caseSensitive: caseSensitive)
        if !unchecked { check(pattern, file, line) }
        add(
            .hear, pattern: pattern.text, needs: pattern.needs, id: id, help: help, example: example, allow: allow,
            coolDown: coolDown, deadline: deadline, match: { try $0.message.text.flatMap(pattern.search) }, handler)
    }

    /// Answers what is said to the robot: its name or alias first, or in private.
    ///
    /// The pattern must match at the beginning of what follows the name, and ignores case. The parameters are those of
    /// ``hear(_:id:help:example:allow:coolDown:deadline:caseSensitive:unchecked:file:line:_:)``; help and example go
    /// without the name.
    ///
    /// A closure that finds that the message isn't meant for it throws ``Pass``: then the listeners after it are tried, and
    /// the catch-alls if no other listener takes the message.
    public mutating func respond<Output: Sendable>(
        _ pattern: sending Regex<Output>, id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, coolDown: CoolDown? = nil, deadline: Duration? = nil, caseSensitive: Bool = false,
        unchecked: Bool = false, file: String = #fileID, line: Int = #line,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        let pattern = Pattern(pattern, caseSensitive: caseSensitive)
        if !unchecked { check(pattern, file, line) }
        add(
            .respond, pattern: pattern.text, needs: pattern.needs, id: id, help: help, example: example, allow: allow,
            coolDown: coolDown, deadline: deadline, match: { try $0.addressed.flatMap(pattern.prefix) }, handler)
    }

    /// Listens to whatever the matcher returns something for; the closure gets that as its match.
    ///
    /// The matcher sees every message, on its way in: it must be quick, and have no effects. With `containing` it sees only
    /// what is said with one of these words in it, ASCII letters in either case, and other messages cost nothing.
    public mutating func listen<Match: Sendable>(
        containing words: [String] = [], id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, coolDown: CoolDown? = nil, deadline: Duration? = nil,
        _ matcher: @escaping @Sendable (Message) throws -> Match?,
        _ handler: @escaping @Sendable (Response<Match>) async throws -> Void
    ) {
        let wanted = words.map(WantedWords.init)
        add(
            .listen, needs: Needs(containingOneOf: wanted), id: id, help: help, example: example, allow: allow,
            coolDown: coolDown, deadline: deadline,
            match: { candidate in
                guard wanted.isEmpty || candidate.text.map({ text in wanted.contains { $0.are(in: text) } }) ?? false
                else { return nil }
                return try matcher(candidate.message)
            }, handler)
    }

    /// Runs when somebody comes into a room.
    public mutating func enter(
        id: String? = nil, coolDown: CoolDown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<Void>) async throws -> Void
    ) {
        add(
            .enter, id: id, coolDown: coolDown, deadline: deadline,
            match: { if case .enter = $0.message.content { () } else { nil } }, handler)
    }

    /// Runs when somebody leaves a room; the match is their parting words.
    public mutating func leave(
        id: String? = nil, coolDown: CoolDown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String?>) async throws -> Void
    ) {
        add(
            .leave, id: id, coolDown: coolDown, deadline: deadline,
            match: { if case .leave(let reason) = $0.message.content { .some(reason) } else { nil } }, handler)
    }

    /// Runs when a room's topic changes; the match is the new one.
    public mutating func topic(
        id: String? = nil, coolDown: CoolDown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String>) async throws -> Void
    ) {
        add(
            .topic, id: id, coolDown: coolDown, deadline: deadline,
            match: { if case .topic(let topic) = $0.message.content { topic } else { nil } }, handler)
    }

    /// Runs for words that no other listener matched; the match is what was said.
    ///
    /// With `onlyAddressed`, only for what is said to the robot, whose name isn't in the match then. Most of what is said
    /// in rooms isn't, and costs nothing.
    public mutating func catchAll(
        onlyAddressed: Bool = false, id: String? = nil, coolDown: CoolDown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String>) async throws -> Void
    ) {
        add(
            .catchAll, id: id, coolDown: coolDown, deadline: deadline, isForAddressed: onlyAddressed,
            match: { onlyAddressed ? $0.addressed.map { String($0) } : $0.message.text }, handler)
    }

    /// Listens to what a regex of JavaScript's may match, by a matcher that knows.
    ///
    /// - Parameters:
    ///   - source: The regex without its slashes.
    ///   - flags: Its flags, such as `i`.
    ///   - isAddressed: Whether it is for what is said to the robot, and gets that without the robot's name.
    package mutating func listen<Match: Sendable>(
        javaScript source: String, flags: String, isAddressed: Bool, id: String? = nil,
        _ matcher: @escaping @Sendable (Substring) throws -> Match?,
        _ handler: @escaping @Sendable (Response<Match>) async throws -> Void
    ) {
        let needs = Needs(of: PatternTree(source, dialect: .javaScript(flags: flags)))
        add(
            isAddressed ? .respond : .hear, pattern: source, needs: needs, id: id, coolDown: nil, deadline: nil,
            match: { try (isAddressed ? $0.addressed : $0.text?[...]).flatMap(matcher) }, handler)
    }

    private mutating func check(_ pattern: Pattern<some Any>, _ file: String, _ line: Int) {
        guard let ambiguity = pattern.ambiguity else { return }
        problems.append(
            """
            the script \(script) has a pattern that could take for ever (\(file):\(line)): \(ambiguity); \
            write it so that there is one way, or say unchecked: true if that can't happen
            """)
    }

    private mutating func add<Match: Sendable>(
        _ trigger: Listener.Trigger, pattern: String? = nil, needs: Needs = .none, id: String?, help: String? = nil,
        example: String? = nil, allow: Access = .everyone, coolDown: CoolDown?, deadline: Duration?,
        isForAddressed: Bool = false,
        match: @escaping @Sendable (Candidate) throws -> Match?,
        _ handler: @escaping @Sendable (Response<Match>) async throws -> Void
    ) {
        count += 1
        listeners.append(
            Listener(
                id: id ?? "\(script).\(count)", script: script, trigger: trigger, pattern: pattern,
                help: help?.split(separator: "\n").map(HelpLine.init) ?? [], example: example, access: allow,
                coolDown: coolDown, deadline: deadline,
                isForAddressed: isForAddressed || trigger == .respond, needs: needs,
                attempt: { candidate in
                    do {
                        guard let match = try match(candidate) else { return nil }
                        return { try await handler(Response(match: match, exchange: $0)) }
                    } catch {
                        // A matcher that fails is its listener's failure, and is told like one.
                        return { _ in throw error }
                    }
                }))
    }

    // MARK: Routes

    mutating func route(
        _ method: HTTPMethod, _ path: String, limit: Int?, deadline: Duration?, proof: WebRequest.Proof?,
        startsServer: Bool,
        _ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse
    ) {
        routes.append(
            Route(
                script: script, method: method, limit: limit, deadline: deadline, proof: proof,
                startsServer: startsServer,
                pattern: RoutePath(path), handler: handler))
    }

    // MARK: Events

    /// Runs when any script emits the event.
    public mutating func on<Payload>(
        _ event: Event<Payload>, _ handler: @escaping @Sendable (Payload, Robot) async throws -> Void
    ) {
        handlers.append(
            EventHandler(script: script, event: event.name) { payload, robot in
                guard let payload = payload as? Payload else {
                    throw EventMismatch(
                        event: event.name, expected: "\(Payload.self)", found: "\(type(of: payload as Any))")
                }
                try await handler(payload, robot)
            })
    }

    // MARK: Later and again

    /// Runs once, that long after the robot has started.
    public mutating func after(_ delay: Duration, _ work: @escaping @Sendable (Robot) async throws -> Void) {
        schedule.append(ScheduledWork(script: script, delay: delay, repeats: false, run: work))
    }

    /// Runs again and again while the robot does, for the first time after one interval.
    ///
    /// The next interval begins when the work is done, so it never overlaps itself.
    public mutating func every(_ interval: Duration, _ work: @escaping @Sendable (Robot) async throws -> Void) {
        schedule.append(ScheduledWork(script: script, delay: interval, repeats: true, run: work))
    }

    // MARK: Middleware

    /// Adds middleware that sees every message before any listener does.
    public mutating func receiveMiddleware(_ middleware: @escaping ReceiveMiddleware) {
        self.middleware.receive.append((script, middleware))
    }

    /// Adds middleware that runs between a listener's match and its closure.
    public mutating func listenerMiddleware(_ middleware: @escaping ListenerMiddleware) {
        self.middleware.listener.append((script, middleware))
    }

    /// Adds middleware that sees everything said in answer to a message.
    public mutating func responseMiddleware(_ middleware: @escaping ResponseMiddleware) {
        self.middleware.response.append((script, middleware))
    }
}

/// Sees every message before any listener does: returns it, changed or not, or nil to stop it there.
///
/// One that throws stops the message too.
public typealias ReceiveMiddleware = @Sendable (Message, Robot) async throws -> Message?

/// Runs when a listener has matched, before its closure does; false keeps the closure from running.
public typealias ListenerMiddleware = @Sendable (Listener, Response<Void>) async throws -> Bool

/// Sees everything scripts say in answer to a message: returns it, changed or not, or nil to keep it unsaid.
public typealias ResponseMiddleware = @Sendable (Utterance, Envelope, Robot) async throws -> Utterance?

/// The robot's middleware, each kind in registration order.
struct Middleware: Sendable {
    var receive: [(script: String, run: ReceiveMiddleware)] = []
    var listener: [(script: String, run: ListenerMiddleware)] = []
    var response: [(script: String, run: ResponseMiddleware)] = []
}
