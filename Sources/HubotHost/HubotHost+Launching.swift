package import Heybot
package import Logging

extension HubotHost {
    /// The robot that scripts belong to, as they see it.
    package struct RobotFacts: Sendable {
        package var name: String
        package var alias: String?
        /// The names of the networks; the first is the main one.
        package var adapters: [String]

        package init(name: String, alias: String?, adapters: [String]) {
            (self.name, self.alias, self.adapters) = (name, alias, adapters)
        }
    }

    /// The result of starting a host.
    package struct Launch: Sendable {
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
    ///   - node: The path of Node in the settings; nil to search `PATH`.
    ///   - dataFolder: The folder for the program and for what is compiled.
    package static func launch(
        _ files: HubotFiles, for robot: RobotFacts, node: String?, dataFolder: String, environment: [String: String],
        logger: Logger
    ) async -> Launch {
        for note in files.notes { logger.notice("\(note)") }
        guard !files.isEmpty else { return Launch() }
        do {
            let node = try await NodeProgram.find(node, environment: environment)
            let program = try HubotProgram.install(in: "\(dataFolder)/program")
            let start = RobotMessage.Start(
                name: robot.name, alias: robot.alias, version: heybotVersion, adapters: robot.adapters,
                logLevel: logger.logLevel.rawValue, loadTime: 30_000, scripts: files.scripts, external: files.external,
                modules: ["\(files.folder)/node_modules"], cache: "\(dataFolder)/compiled", brain: true)
            let host = HubotHost(
                Configuration(start: start, node: node.path, program: program, folder: files.folder), logger: logger)
            let scripts = await host.load()
            return Launch(host: host, scripts: scripts, problems: host.problems)
        } catch {
            let names = files.scripts.map(\.id) + files.packages.map(\.name)
            let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
            let problem = "these Hubot scripts weren't loaded: \(some): \(error)"
            logger.error("\(problem)")
            return Launch(problems: [problem])
        }
    }
}
