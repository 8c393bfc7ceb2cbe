package import Heybot
package import Logging

extension HubotHost {
    /// The robot that scripts belong to, as they see it.
    package struct RobotFacts: Sendable {
        package var name: String
        package var alias: String?
        /// The names of the networks; the first is the main one.
        package var adapters: [String]
        package var hasWebServer: Bool

        package init(name: String, alias: String?, adapters: [String], hasWebServer: Bool = false) {
            (self.name, self.alias, self.adapters) = (name, alias, adapters)
            self.hasWebServer = hasWebServer
        }
    }

    /// The settings of Hubot scripts.
    package struct LaunchOptions: Hashable, Sendable {
        /// The path of Node; nil to search `PATH`.
        package var node: String?
        /// How much memory scripts may use, in MiB.
        package var memory = 256
        /// Whether changed files are loaded at once.
        package var watchesFiles = false
        /// How long a script may take to answer.
        package var deadline: Duration = .seconds(30)

        package init() {}
    }

    /// The result of starting a host.
    package struct LaunchResult: Sendable {
        /// The host; nil if there are no scripts, or they can't run.
        package var host: HubotHost?
        /// The scripts that were loaded, and what they have in common.
        package var scripts: [any Script] = []
        /// What can't be loaded, a line each; it is in the log.
        package var problems: [String] = []
    }

    /// Starts a host for scripts, and waits until they are loaded.
    ///
    /// If that isn't possible, the log says so, and the robot has to do without the scripts.
    ///
    /// - Parameters:
    ///   - dataFolder: The folder for the program and for what is compiled.
    ///   - withheldVariables: The environment variables that the scripts don't get.
    ///   - findFiles: Finds the scripts when they are reloaded.
    ///   - importBrain: Called when the robot's brain is open, before the scripts get it.
    package static func launch(
        _ files: HubotFiles, for robot: RobotFacts, _ options: LaunchOptions, dataFolder: String,
        environment: [String: String], withheldVariables: Set<String> = [], logger: Logger,
        findFiles: (@Sendable () throws -> HubotFiles)? = nil,
        importBrain: (@Sendable () async -> Void)? = nil
    ) async -> LaunchResult {
        for note in files.notes { logger.notice("\(note)") }
        guard !files.isEmpty else { return LaunchResult() }
        do {
            let node = try await NodeProgram.find(options.node, environment: environment)
            let program = try HubotProgram.install(in: "\(dataFolder)/program")
            let start = RobotMessage.Start(
                name: robot.name, alias: robot.alias, version: heybotVersion, adapters: robot.adapters,
                logLevel: logger.logLevel.rawValue, loadTime: 30_000, scripts: files.scripts, external: files.external,
                modules: ["\(files.folder)/node_modules"], cache: "\(dataFolder)/compiled", brain: true,
                web: robot.hasWebServer)
            var configuration = Configuration(
                start: start, node: node.path, program: program, folder: files.folder)
            configuration.nodeOptions = ["--max-old-space-size=\(options.memory)"]
            configuration.withheldVariables = withheldVariables
            configuration.watchesFiles = options.watchesFiles
            // A script that has more time than usual isn't ended before.
            configuration.limits.pingTimeout = max(configuration.limits.pingTimeout, options.deadline / 3)
            let host = HubotHost(configuration, logger: logger, findFiles: findFiles, importBrain: importBrain)
            let scripts = await host.load()
            return LaunchResult(host: host, scripts: scripts, problems: host.problems)
        } catch {
            let names = files.scripts.map(\.id) + files.packages.map(\.name)
            let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
            let problem = "these Hubot scripts weren't loaded: \(some): \(error)"
            logger.error("\(problem)")
            return LaunchResult(problems: [problem])
        }
    }
}
