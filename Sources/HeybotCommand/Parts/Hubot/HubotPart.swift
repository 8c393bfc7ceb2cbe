#if AllParts || Hubot
    import Heybot
    import HubotHost
    import Logging

    /// Hubot scripts, in a Node process.
    struct HubotPart: RobotPart {
        let settings = Setting.hubot

        func loadScripts(_ request: ScriptLoadRequest) async throws -> LoadedScripts {
            let files = try files(request)
            let launch = await HubotHost.launch(
                files,
                for: HubotHost.RobotFacts(
                    name: request.settings.name, alias: request.settings.alias, adapters: request.adapters),
                node: request.settings.hubot.node, dataFolder: "\(try request.dataFolder())/hubot",
                environment: request.environment, logger: Logger(label: "heybot.hubot"))
            return LoadedScripts(scripts: launch.scripts, problems: launch.problems)
        }

        func hasScripts(_ request: ScriptLoadRequest) throws -> Bool { try !files(request).isEmpty }

        private func files(_ request: ScriptLoadRequest) throws -> HubotFiles {
            var files = HubotFiles(in: request.folder)
            files.addHubotFolder { CoveredPackages.cover(of: $0, in: request.scriptNames) }
            for path in request.paths {
                do {
                    try files.add(path: path)
                } catch {
                    throw ExitError.noInput("\(error)")
                }
            }
            return files
        }
    }

    extension SettingValues {
        var hubot: Hubot {
            get { self[part: Hubot()] }
            set { self[part: Hubot()] = newValue }
        }

        /// The settings of Hubot scripts.
        struct Hubot: Sendable {
            /// The path of Node; nil to search `PATH`.
            var node: String?
        }
    }

    extension Setting {
        fileprivate static let hubot: [Setting] = [
            Setting(
                "NODE", key: "hubot.node", \.hubot.node, .path, "the program that runs Hubot scripts",
                fallback: "node in PATH", isAdvanced: true)
        ]
    }
#endif
