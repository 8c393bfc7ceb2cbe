#if AllParts || Hubot
    import Heybot
    import HubotHost
    import Logging

    /// Hubot scripts, in a Node process.
    struct HubotPart: RobotPart {
        let settings = Setting.hubot

        func loadScripts(_ request: RuntimeScriptRequest) async throws -> LoadedRuntimeScripts {
            let files = try files(request)
            let logger = Logger(label: "heybot.hubot")
            var options = request.settings.hubot
            options.deadline = request.settings.limits.deadline
            let launch = await HubotHost.launch(
                files,
                for: HubotHost.RobotFacts(
                    name: request.settings.name, alias: request.settings.alias, adapters: request.adapters,
                    hasWebServer: request.hasWebServer),
                options, dataFolder: "\(try request.dataFolder())/hubot",
                environment: request.environment, withheldVariables: request.withheldVariables, logger: logger,
                findFiles: { try self.files(request) },
                importBrain: {
                    guard let store = request.remoteStore() else { return }
                    await HubotScriptBrainImport.runIfNeeded(store, logger)
                })
            var loaded = LoadedRuntimeScripts(scripts: launch.scripts, problems: launch.problems)
            if let host = launch.host {
                loaded.needs = host.loadedScripts.map {
                    RuntimeScriptRequirements($0, withheld: request.withheldVariables)
                }
                loaded.reload = { try await host.reload() }
            }
            return loaded
        }

        func hasScripts(_ request: RuntimeScriptRequest) throws -> Bool {
            let files = try files(request)
            // The log names what isn't loaded, even if nothing else is.
            return !files.isEmpty || !files.notes.isEmpty
        }

        private func files(_ request: RuntimeScriptRequest) throws -> HubotFiles {
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

    extension RuntimeScriptRequirements {
        fileprivate init(_ script: LoadedScript, withheld: Set<String>) {
            let read = script.environment ?? []
            let unset = read.filter { !$0.set && !withheld.contains($0.name) }
            self.init(
                script: script.id, variables: read.filter(\.set).map(\.name),
                missingVariables: unset.filter { !$0.optional }.map(\.name),
                optionalVariables: unset.filter(\.optional).map(\.name),
                withheldVariables: read.map(\.name).filter { withheld.contains($0) },
                missingPackages: script.missing ?? [])
        }
    }

    extension SettingValues {
        var hubot: HubotHost.LaunchOptions {
            get { self[part: HubotHost.LaunchOptions()] }
            set { self[part: HubotHost.LaunchOptions()] = newValue }
        }
    }

    extension Setting {
        fileprivate static let hubot: [Setting] = [
            Setting(
                "NODE", key: "hubot.node", \.hubot.node, .path, "the program that runs Hubot scripts",
                fallback: "node in PATH", isAdvanced: true),
            Setting(
                "SCRIPTS_MEMORY", key: "hubot.memory", \.hubot.memory, .number(32...65_536),
                "how much memory Hubot scripts may use, in MiB", isAdvanced: true),
            Setting(
                "SCRIPTS_WATCH", key: "hubot.watch", \.hubot.watchesFiles, .flag,
                "whether Hubot scripts are reloaded when their files change")
        ]
    }
#endif
