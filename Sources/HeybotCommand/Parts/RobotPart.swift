import Heybot

/// A part of the robot that a build may leave out, with its settings: adapters, a store, or the web server.
///
/// It is compiled if the package trait with its name or `AllParts` is enabled. Only the files of a part know what it depends on.
protocol RobotPart: Sendable {
    /// The settings, in the order in which they are listed.
    var settings: [Setting] { get }

    /// Missing settings, and settings that can't be combined, whichever adapters are used.
    func problems(in settings: SettingValues) -> [SettingsProblem]

    /// The kinds of its adapters.
    var adapters: [AdapterName] { get }

    /// Missing settings of a network that the robot connects to, and settings that can't be combined.
    ///
    /// - Parameter isServing: Whether the web server may run.
    func problems(of network: Network, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem]

    /// The adapter of a network, with that network's settings; nil if they are invalid, which was reported when they were read.
    func adapter(
        _ network: Network, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient
    ) -> (any Adapter)?

    /// The location of the brain in these settings, such as `Redis at localhost:6379`; nil if it isn't in this part's store.
    func brainLocation(in settings: SettingValues) -> String?

    /// The brain's store; nil if these settings choose another.
    ///
    /// - Parameter isPatient: Whether to wait for an unavailable store as long as the settings allow. Otherwise only one
    ///   attempt is made.
    func store(_ settings: SettingValues, isPatient: Bool) -> (any RemoteStore)?

    /// Whether it can load what is requested, or has something to log about it.
    ///
    /// - Throws: ``ExitError`` if a path has no scripts.
    func hasScripts(_ request: RuntimeScriptRequest) throws -> Bool

    /// Loads scripts that aren't compiled in; those that can't be loaded are logged.
    func loadScripts(_ request: RuntimeScriptRequest) async throws -> LoadedRuntimeScripts

    /// Whether these settings enable the web server.
    func isServing(_ settings: SettingValues) -> Bool

    /// The web server with these settings; nil if they disable it.
    ///
    /// - Parameters:
    ///   - process: The process that serves.
    ///   - onListening: Called with the port once it listens.
    func webServer(
        _ resolved: ResolvedSettings, in process: ServingProcess, onListening: @escaping @Sendable (Int) -> Void
    ) -> (any CheckableWebServer)?
}

/// The process of a robot that runs a web server.
enum ServingProcess: Sendable {
    /// The only one, or one of several workers that are linked by a Redis.
    case whole
    /// The worker of a gateway on the same machine, which is replaced by one with the next number.
    case worker(Int)
    /// A gateway whose workers are linked by a Redis.
    case gateway
}

extension RobotPart {
    func problems(in settings: SettingValues) -> [SettingsProblem] { [] }
    var adapters: [AdapterName] { [] }
    func problems(of network: Network, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem] { [] }
    func adapter(
        _ network: Network, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient
    ) -> (any Adapter)? {
        nil
    }
    func brainLocation(in settings: SettingValues) -> String? { nil }
    func store(_ settings: SettingValues, isPatient: Bool) -> (any RemoteStore)? { nil }
    func hasScripts(_ request: RuntimeScriptRequest) throws -> Bool { false }
    func loadScripts(_ request: RuntimeScriptRequest) async throws -> LoadedRuntimeScripts { LoadedRuntimeScripts() }
    func isServing(_ settings: SettingValues) -> Bool { false }
    func webServer(
        _ resolved: ResolvedSettings, in process: ServingProcess, onListening: @escaping @Sendable (Int) -> Void
    ) -> (any CheckableWebServer)? { nil }
}

/// The parts of this build.
let includedParts: [any RobotPart] = {
    var parts: [any RobotPart] = []
    #if AllParts || Redis
        parts.append(RedisPart())
    #endif
    #if AllParts || WebServer
        parts.append(WebServerPart())
    #endif
    #if AllParts || IRC
        parts.append(IRCPart())
    #endif
    #if AllParts || XMPP
        parts.append(XMPPPart())
    #endif
    #if AllParts || Campfire
        parts.append(CampfirePart())
    #endif
    #if AllParts || Hubot
        parts.append(HubotPart())
    #endif
    return parts
}()

/// A store on a server.
protocol RemoteStore: Store {
    /// The setting to check after an error.
    func setting(toCheckAfter error: (any Error)?) -> String

    /// Whether a Hubot's brain is in the same database.
    func hasHubotBrain() async throws -> Bool

    /// Reads the text of a Hubot's brain in the same database.
    ///
    /// - Parameters:
    ///   - name: The text's name, for errors.
    ///   - next: Returns the next piece; nil after the last.
    /// - Throws: ``ExitError`` if there is none, and what `body` throws.
    func withHubotBrain<Result>(
        _ body: (_ name: String, _ next: () async throws -> [UInt8]?) async throws -> Result
    ) async throws -> Result
}

/// A web server that can be checked before it runs.
protocol CheckableWebServer: HTTPServer {
    /// The address and port.
    var place: String { get }
    var port: Int { get }

    /// Checks that it could listen.
    ///
    /// - Throws: ``ListenErrorWithFix`` if it couldn't.
    func check() async throws
}

/// The reason why a web server can't listen.
protocol ListenErrorWithFix: ErrorWithFix {}
