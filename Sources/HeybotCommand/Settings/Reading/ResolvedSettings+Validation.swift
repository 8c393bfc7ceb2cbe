import Heybot

extension ResolvedSettings {
    /// Reads the settings of a robot with these scripts, and checks that names of scripts in them exist.
    ///
    /// - Parameter isServing: Whether the web server may run.
    init(
        _ options: Options, _ scripts: [any Script], isServing: Bool = true, environment: [String: String]
    ) throws(InvalidSettingsError) {
        let table = Setting.all + Setting.settings(of: scripts)
        try self.init(
            table, flags: options.flags, environment: environment, readFile: { SettingsFile.read($0, table) },
            check: {
                Setting.problems(of: scripts) + $0.unknownNames(scripts.map(\.name))
                    + $0.partProblems(isServing: isServing)
            })
    }

    private func unknownNames(_ scripts: [String]) -> [SettingsProblem] {
        let known = ["robot", "redis", "web", "http", "hubot", "music"] + AdapterName.allCases.map(\.rawValue)
        return problems(in: "SCRIPTS_OFF", settings.switches.scripts.sorted(), "not a script", scripts)
            + problems(
                in: "LOG_LEVEL", settings.log.levels.names, "neither a script nor a part of the robot", known + scripts)
    }

    /// The problems with the settings of the parts, and of the chosen adapters.
    private func partProblems(isServing: Bool) -> [SettingsProblem] {
        let isServing = isServing && includedParts.contains { $0.isServing(settings) }
        let problems =
            includedParts.flatMap { $0.problems(in: settings) }
            + settings.adapters.flatMap { adapter in
                adapter.part?.problems(of: adapter, in: self, isServing: isServing) ?? []
            }
        // Adapters that share settings would report the same problem twice.
        return problems.enumerated().filter { problems.firstIndex(of: $1) == $0 }.map(\.element)
    }

    private func problems(
        in name: String, _ found: [String], _ what: String, _ known: [String]
    ) -> [SettingsProblem] {
        guard let setting = table.first(where: { $0.name == name }), let place = location(of: name) else { return [] }
        return found.filter { name in !known.contains { $0.lowercased() == name.lowercased() } }.map { unknown in
            let reason = "\(source(of: setting).name) names \(unknown), which is \(what)"
            let all = "valid names are \(known.joined(separator: ", "))"
            let near = closestMatch(unknown, of: known)
            return SettingsProblem(
                line: "\(reason); \(near.map { "did you mean \($0)?" } ?? all)", reason: reason,
                fix: near.map { "name \($0) in \(place) if you mean that" } ?? "correct \(place): \(all)")
        }
    }
}
