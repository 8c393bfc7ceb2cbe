import FoundationEssentials
import Heybot

/// What to load when the robot starts: scripts that aren't compiled in.
struct RuntimeScriptRequest: Sendable {
    /// The files and folders given with `-r`.
    let paths: [String]
    /// The folder that the robot was started in.
    let folder: String
    /// The names of the scripts that are compiled in.
    let scriptNames: [String]
    let settings: SettingValues
    /// The names of the adapters, the main one first.
    let adapters: [String]
    let environment: [String: String]
    /// The environment variables that the scripts don't get, because they may contain secrets of the robot.
    let withheldVariables: Set<String>
    /// Whether the web server may run.
    let hasWebServer: Bool
    /// Another connection to the robot's store; nil if the store isn't on a server.
    let remoteStore: @Sendable () -> (any RemoteStore)?
    /// The data directory, which is created if it doesn't exist.
    let dataFolder: @Sendable () throws -> String
}

/// The scripts that were loaded when the robot started.
struct LoadedRuntimeScripts: Sendable {
    var scripts: [any Script] = []
    /// What couldn't be loaded, a line each.
    var problems: [String] = []
    /// What the scripts need from their environment.
    var needs: [RuntimeScriptRequirements] = []
    /// Loads the scripts again, as they are now, and returns what was loaded.
    ///
    /// Nil if that isn't possible.
    var reload: (@Sendable () async throws -> String)?
}

/// What a script that isn't compiled in needs.
struct RuntimeScriptRequirements: Hashable, Sendable {
    let script: String
    /// The environment variables that it reads and that are set.
    let variables: [String]
    /// Those that aren't set, and for which it has no value of its own.
    let missingVariables: [String]
    /// Those that aren't set, and for which it has one.
    let optionalVariables: [String]
    /// Those that it doesn't get, because they may contain secrets of the robot.
    let withheldVariables: [String]
    /// The packages that it uses and that aren't installed.
    let missingPackages: [String]
}

extension RobotAssembly {
    /// Loads the scripts given with `-r`, and those of the Hubot in whose folder the robot was started.
    ///
    /// - Parameter saysOneMessage: Whether the robot only handles a message from the command line.
    /// - Throws: ``ExitError`` if a path has no scripts, ``DataFolderError``.
    mutating func loadScripts(at paths: [String], saysOneMessage: Bool = false) async throws {
        let request = scriptLoadRequest(paths, saysOneMessage: saysOneMessage)
        for part in includedParts where try part.hasScripts(request) {
            loaded = try await part.loadScripts(request)
            scripts += loaded.scripts
            return
        }
        if !paths.isEmpty {
            throw ExitError(
                usage:
                    "this build of Heybot can't run Hubot scripts: build Heybot with the package trait Hubot, or omit -r"
            )
        }
    }

    private func scriptLoadRequest(_ paths: [String], saysOneMessage: Bool) -> RuntimeScriptRequest {
        let data = data
        return RuntimeScriptRequest(
            paths: paths, folder: FileManager.default.currentDirectoryPath, scriptNames: scripts.map(\.name),
            settings: settings, adapters: saysOneMessage ? ["shell"] : settings.networks.map(\.name),
            environment: ProcessInfo.processInfo.environment,
            withheldVariables: resolved.table.secretVariables, hasWebServer: !saysOneMessage && webServer() != nil,
            remoteStore: { self.store() as? any RemoteStore },
            dataFolder: {
                try data.make()
                return data.path
            })
    }
}
