public import _StringProcessing

/// Collects what scripts register.
///
/// The robot is built from it.
public struct RobotBuilder: Sendable {
    private var allListeners: [IndexedListener] = []
    /// The number of listeners ever registered, which gives each its place.
    private var registrations = 0
    /// The regexes of the listeners in use.
    let regexes = RecentRegexes()
    /// The ids of the listeners that others replace.
    var replacedListeners: Set<String> = []
    private(set) var handlers: [EventHandler] = []
    private(set) var startTimers: [RegisteredTimer] = []
    var jobs: [RegisteredJob] = []
    var middleware = MiddlewareStack()
    var observers: [MessageObserver] = []
    var deliveryObservers: [DeliveryObserver] = []
    var commandLists: [RuntimeCommandList] = []
    /// What gets all messages instead of the listeners; nil if the listeners get them.
    var sink: MessageSink?
    /// Returns the commands if other listeners get the messages.
    var commandSource: CommandSource?
    private(set) var routes: [Route] = []
    private(set) var fallbackRoute: FallbackRoute?
    private(set) var companions: [RobotCompanion] = []
    /// The problems with what was registered, a line each.
    var problems: [String] = []
    /// The missing settings by script; the script's commands don't work without them.
    private(set) var missingSettings: [String: String] = [:]
    /// The values of the scripts' settings, by name.
    let values: [String: String]
    /// The name of the script that is registering.
    private(set) var script = ""
    /// The texts of its regex literals, by place; see ``Script/patternTexts``.
    private var patternTexts: [String: String] = [:]
    /// The names of that script's settings.
    private(set) var knownSettings: Set<String> = []
    private var count = 0

    package init(settings: [String: String] = [:]) {
        values = settings
    }

    /// The listeners that aren't replaced by others, in registration order.
    package var listeners: [Listener] { indexedListeners.map(\.listener) }

    /// The same with their places, for a ``ListenerIndex``.
    var indexedListeners: [IndexedListener] {
        guard !replacedListeners.isEmpty else { return allListeners }
        return allListeners.filter { !replacedListeners.contains($0.listener.id) }
    }

    mutating func register(_ script: any Script) {
        self.script = script.name
        patternTexts = script.patternTexts
        knownSettings = Set(script.settings.map(\.name))
        count = 0
        script.register(on: &self)
    }

    /// Removes the listeners, routes and middleware of these scripts, so that others can replace them.
    ///
    /// Event handlers, timers and companions stay: they are used only at the start.
    mutating func remove(_ scripts: Set<String>) {
        allListeners.removeAll { scripts.contains($0.listener.script) }
        routes.removeAll { scripts.contains($0.script) }
        middleware.remove(scripts)
        observers.removeAll { scripts.contains($0.script) }
        deliveryObservers.removeAll { scripts.contains($0.script) }
        commandLists.removeAll { scripts.contains($0.script) }
        if let script = fallbackRoute?.script, scripts.contains(script) { fallbackRoute = nil }
        for script in scripts { missingSettings[script] = nil }
        replacedListeners = []
    }

    /// Reports that the script's commands don't work until a setting is set.
    ///
    /// Help marks these commands.
    ///
    /// - Parameter settings: The full name of the setting's environment variable.
    public mutating func reportMissingSetting(_ settings: String) {
        missingSettings[script] = settings
    }

    // MARK: Listeners

    /// Registers a listener for all messages in all rooms.
    ///
    /// - Parameters:
    ///   - pattern: A regex that may match anywhere in the text. It ignores case, and `\b` is the simple word boundary.
    ///   - id: The listener's id; by default the script's name and a number.
    ///   - help: A line `usage - purpose` for each command.
    ///   - example: A message that the listener answers. Tests send it.
    ///   - allow: Who may use the listener, and where. Other users get a refusal if it is a `respond` listener, and otherwise no
    ///     answer.
    ///   - confirm: What the robot asks before the closure runs, such as `This deletes all scores. Are you sure?`.
    ///   - approve: The approval by a second user that is needed before the closure runs.
    ///   - cooldown: The minimum time between two uses.
    ///   - deadline: The closure's deadline; by default the robot's.
    ///   - onEdit: Whether the listener also gets each corrected message that matches. Without it, it gets a corrected command if
    ///     the robot hasn't understood the original.
    ///   - caseSensitive: Whether the pattern is case-sensitive.
    ///   - unchecked: Accepts a pattern that looks prone to catastrophic backtracking. Without it such a pattern is an error
    ///     at startup, because a running match can't be interrupted.
    ///   - file: The file of the registration, for error messages.
    ///   - line: The line of the registration.
    ///   - column: The column of the registration's parenthesis, to find the literal's text in ``Script/patternTexts``.
    ///   - handler: The closure that handles a match. It may run for several messages at once.
    public mutating func hear<Output: Sendable>(
        _ pattern: sending @autoclosure @escaping () -> Regex<Output>, id: String? = nil, help: String? = nil,
        example: String? = nil,
        allow: Access = .everyone, confirm: String? = nil, approve: Approval? = nil, cooldown: Cooldown? = nil,
        deadline: Duration? = nil, onEdit: Bool = false, caseSensitive: Bool = false, unchecked: Bool = false,
        file: String = #fileID, line: Int = #line, column: Int = #column,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        let pattern = listenerPattern(pattern, caseSensitive, file, line, column)
        if !unchecked { check(pattern, file, line) }
        add(
            .hear, pattern: pattern.text, requirements: pattern.requirements, id: id, help: help, example: example,
            allow: allow, confirm: confirm, approve: approve, cooldown: cooldown, deadline: deadline, onEdit: onEdit,
            match: { try $0.message.text.flatMap(pattern.search) }, handler)
    }

    /// Registers a listener for messages addressed to the robot, by name, by alias, or as a direct message.
    ///
    /// The pattern must match at the beginning of the text after the name, and ignores case. The parameters are those of
    /// ``hear(_:id:help:example:allow:confirm:approve:cooldown:deadline:onEdit:caseSensitive:unchecked:file:line:column:_:)``; help and example don't
    /// contain the name.
    ///
    /// A closure that finds that the message isn't meant for it throws ``SkipListener``: then later listeners are tried, and the
    /// catch-alls if no other listener handles the message.
    public mutating func respond<Output: Sendable>(
        _ pattern: sending @autoclosure @escaping () -> Regex<Output>, id: String? = nil, help: String? = nil,
        example: String? = nil,
        allow: Access = .everyone, confirm: String? = nil, approve: Approval? = nil, cooldown: Cooldown? = nil,
        deadline: Duration? = nil, onEdit: Bool = false, caseSensitive: Bool = false, unchecked: Bool = false,
        file: String = #fileID, line: Int = #line, column: Int = #column,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        let pattern = listenerPattern(pattern, caseSensitive, file, line, column)
        if !unchecked { check(pattern, file, line) }
        add(
            .respond, pattern: pattern.text, requirements: pattern.requirements, id: id, help: help, example: example,
            allow: allow, confirm: confirm, approve: approve, cooldown: cooldown, deadline: deadline, onEdit: onEdit,
            match: { try $0.addressed.flatMap(pattern.prefix) }, handler)
    }

    /// Registers a listener with a custom matcher.
    ///
    /// The closure gets what the matcher returns; nil means no match.
    ///
    /// The matcher runs for every message, so it must be fast and have no side effects. With `containing`, it runs only for
    /// messages that contain one of these words (ASCII letters match in either case), and other messages cost nothing.
    public mutating func listen<Match: Sendable>(
        containing words: [String] = [], id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, cooldown: Cooldown? = nil, deadline: Duration? = nil, onEdit: Bool = false,
        _ matcher: @escaping @Sendable (Message) throws -> Match?,
        _ handler: @escaping @Sendable (Response<Match>) async throws -> Void
    ) {
        let requiredWords = words.map(FoldedLiteral.init)
        add(
            .listen, requirements: MatchRequirements(containingOneOf: requiredWords), id: id, help: help,
            example: example, allow: allow,
            cooldown: cooldown, deadline: deadline, onEdit: onEdit,
            match: { input in
                guard
                    requiredWords.isEmpty
                        || input.text.map({ text in requiredWords.contains { $0.isContained(in: text) } }) ?? false
                else { return nil }
                return try matcher(input.message)
            }, handler)
    }

    /// Runs when a user enters a room.
    public mutating func enter(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<Void>) async throws -> Void
    ) {
        add(
            .enter, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .enter = $0.message.content { () } else { nil } }, handler)
    }

    /// Runs when a user leaves a room.
    ///
    /// The match is the reason, if there is one.
    public mutating func leave(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String?>) async throws -> Void
    ) {
        add(
            .leave, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .leave(let reason) = $0.message.content { .some(reason) } else { nil } }, handler)
    }

    /// Runs when a room's topic changes.
    ///
    /// The match is the new topic.
    public mutating func topic(
        id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String>) async throws -> Void
    ) {
        add(
            .topic, id: id, cooldown: cooldown, deadline: deadline,
            match: { if case .topic(let topic) = $0.message.content { topic } else { nil } }, handler)
    }

    /// Runs for texts that no other listener handled.
    ///
    /// The match is the text.
    ///
    /// With `onlyAddressed` it runs only for messages addressed to the robot, and the match doesn't contain the robot's name.
    /// Other messages cost nothing.
    public mutating func catchAll(
        onlyAddressed: Bool = false, id: String? = nil, cooldown: Cooldown? = nil, deadline: Duration? = nil,
        _ handler: @escaping @Sendable (Response<String>) async throws -> Void
    ) {
        add(
            .catchAll, id: id, cooldown: cooldown, deadline: deadline, isForAddressed: onlyAddressed,
            match: { onlyAddressed ? $0.addressed.map { String($0) } : $0.message.text }, handler)
    }

    /// Registers a listener whose code runs in another process, which confirms the match.
    ///
    /// - Parameter handler: Asks the other process. If that finds no match, it throws ``SkipListener``; if that ends before it
    ///   answers, ``UnconfirmedMatchError``.
    package mutating func listen(
        remote listener: RemoteListener, _ handler: @escaping @Sendable (RemoteListenerCall) async throws -> Void
    ) {
        let tree = listener.pattern.flatMap { RegexAST($0, dialect: .javaScript(flags: listener.flags)) }
        let (trigger, isActive) = (listener.trigger, listener.isActive)
        add(
            trigger, pattern: listener.pattern,
            requirements: trigger == .hear || trigger == .respond ? MatchRequirements(of: tree) : .none,
            id: listener.id, help: listener.help.isEmpty ? nil : listener.help.joined(separator: "\n"), cooldown: nil,
            deadline: nil, remoteFlags: listener.flags,
            match: { isActive() && trigger.accepts($0) ? $0 : nil }
        ) { (response: Response<RoutingInput>) in
            try await handler(
                RemoteListenerCall(
                    context: response.context, command: response.match.remoteAddressed.map { String($0) }))
        }
    }

    /// The pattern of a regex, which isn't evaluated yet if it is a literal whose text is known.
    private func listenerPattern<Output>(
        _ regex: sending @escaping () -> Regex<Output>, _ caseSensitive: Bool, _ file: String, _ line: Int,
        _ column: Int
    ) -> ListenerPattern<Output> {
        if !patternTexts.isEmpty, let text = patternTexts["\(file):\(line):\(column)"] {
            return ListenerPattern(literal: text, regex, caseSensitive: caseSensitive, in: regexes)
        }
        return ListenerPattern(regex(), caseSensitive: caseSensitive, in: regexes)
    }

    /// Reports a pattern that is prone to catastrophic backtracking.
    mutating func check(_ pattern: ListenerPattern<some Any>, _ file: String, _ line: Int) {
        guard let backtrackingRisk = pattern.backtrackingRisk else { return }
        problems.append(
            """
            the script \(script) has a pattern that is prone to catastrophic backtracking (\(file):\(line)): \(backtrackingRisk); \
            rewrite the pattern so that it can match a text in only one way, or pass unchecked: true if the pattern is safe
            """)
    }

    /// Registers a listener.
    mutating func add<Match: Sendable>(
        _ trigger: Listener.Trigger, pattern: String? = nil, requirements: MatchRequirements = .none, id: String?,
        help: String? = nil,
        example: String? = nil, allow: Access = .everyone, confirm: String? = nil, approve: Approval? = nil,
        cooldown: Cooldown?, deadline: Duration?, onEdit: Bool = false,
        isForAddressed: Bool = false, remoteFlags: String? = nil,
        match: @escaping @Sendable (RoutingInput) throws -> Match?,
        _ handler: @escaping @Sendable (Response<Match>) async throws -> Void
    ) {
        count += 1
        let name = id ?? ""
        var listener =
            Listener(
                id: name.isEmpty ? "\(script).\(count)" : name, script: script, trigger: trigger, pattern: pattern,
                help: help?.split(separator: "\n").map(HelpLine.init) ?? [], example: example, access: allow,
                confirmation: confirm, approval: approve, cooldown: cooldown, deadline: deadline,
                isForAddressed: isForAddressed || trigger == .respond, requirements: requirements,
                match: { input in
                    do {
                        guard let match = try match(input) else { return nil }
                        return { try await handler(Response(match: match, context: $0)) }
                    } catch {
                        // A matcher that throws is a failure of its listener, and is reported as one.
                        return { _ in throw error }
                    }
                })
        listener.hearsEdits = onEdit
        listener.isRemote = remoteFlags != nil
        listener.flags = remoteFlags ?? ""
        allListeners.append(IndexedListener(listener, order: registrations))
        registrations += 1
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

    /// Answers the requests that no route answers, in another process.
    ///
    /// - Parameters:
    ///   - startsServer: Whether the web server is started because of it.
    ///   - isActive: Whether it answers requests now.
    package mutating func answerOtherRequests(
        startsServer: Bool, isActive: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (FallbackRequest) async throws -> WebResponse
    ) {
        fallbackRoute = FallbackRoute(
            script: script, startsServer: startsServer, isActive: isActive, answer: answer)
    }

    // MARK: Events

    /// Runs when any script emits the event.
    public mutating func on<Payload>(
        _ event: ScriptEvent<Payload>, _ handler: @escaping @Sendable (Payload, Robot) async throws -> Void
    ) {
        handlers.append(
            EventHandler(script: script, event: event.name) { payload, robot in
                guard let payload = payload as? Payload else {
                    throw EventPayloadMismatch(
                        event: event.name, expected: "\(Payload.self)", found: "\(type(of: payload as Any))")
                }
                try await handler(payload, robot)
            })
    }

    // MARK: Timers

    /// Runs a closure once, a while after the robot has started.
    public mutating func after(_ delay: Duration, _ work: @escaping @Sendable (Robot) async throws -> Void) {
        startTimers.append(RegisteredTimer(script: script, delay: delay, repeats: false, run: work))
    }

    /// Runs a closure repeatedly, for the first time after one interval.
    ///
    /// The next interval begins when the closure has finished, so runs never overlap.
    public mutating func every(_ interval: Duration, _ work: @escaping @Sendable (Robot) async throws -> Void) {
        startTimers.append(RegisteredTimer(script: script, delay: interval, repeats: true, run: work))
    }

    // MARK: Services

    /// Registers work that accompanies the robot: it is started when the brain is open, before the adapters connect.
    package mutating func accompany(with service: RobotCompanion) {
        companions.append(service)
    }

    // MARK: Middleware

    /// Adds middleware that runs for every message before the listeners.
    public mutating func receiveMiddleware(_ middleware: @escaping ReceiveMiddleware) {
        self.middleware.receive.append((script, middleware))
    }

    /// Adds middleware that runs between a listener's match and its closure.
    public mutating func listenerMiddleware(_ middleware: @escaping ListenerMiddleware) {
        self.middleware.add(middleware, of: script)
    }

    /// Adds middleware that runs for everything sent in answer to a message.
    public mutating func responseMiddleware(_ middleware: @escaping ResponseMiddleware) {
        self.middleware.add(middleware, of: script)
    }
}
