import Heybot
import XMPPAdapter

extension ResolvedSettings {
    /// Reads the settings of a robot with these scripts, and checks that names of scripts in them exist.
    ///
    /// - Parameter isServing: Whether the web server may run.
    init(
        _ options: Options, _ scripts: [any Script], isServing: Bool = true, environment: [String: String]
    ) throws(SettingsError) {
        let table = Setting.all + Setting.settings(of: scripts)
        try self.init(
            table, flags: options.flags, environment: environment, readFile: { SettingsFile.read($0, table) },
            check: {
                Setting.problems(of: scripts) + $0.unknownNames(scripts.map(\.name)) + $0.settings.redis.problems
                    + $0.settings.web.problems + $0.adapterProblems(isServing: isServing)
            })
    }

    private func unknownNames(_ scripts: [String]) -> [SettingsProblem] {
        let parts = ["robot", "redis", "web", "http"] + AdapterName.allCases.map(\.rawValue)
        return problems(in: "SCRIPTS_OFF", settings.switches.scripts.sorted(), "not a script", scripts)
            + problems(
                in: "LOG_LEVEL", settings.log.levels.names, "neither a script nor a part of the robot", parts + scripts)
    }

    /// The problems with the settings of the chosen adapters.
    private func adapterProblems(isServing: Bool) -> [SettingsProblem] {
        let problems = settings.adapters.flatMap { adapter -> [SettingsProblem] in
            switch adapter {
            case .shell: []
            case .irc: settings.irc.problems(robotName: settings.name, isServerKnown: isWrong("IRC_SERVER"))
            case .xmpp, .gtalk:
                settings.xmppConfiguration(of: adapter).problems(
                    account: "HEYBOT_\(adapter.rawValue.uppercased())", isNickSet: settings.xmpp.nick != nil,
                    isAddressKnown: isWrong("\(adapter.rawValue.uppercased())_USERNAME"))
            case .campfire: settings.campfire.problems(isServing: isServing && settings.web.isOn)
            }
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
            let all = "there are \(known.joined(separator: ", "))"
            let near = closestMatch(unknown, of: known)
            return SettingsProblem(
                line: "\(reason); \(near.map { "did you mean \($0)?" } ?? all)", reason: reason,
                fix: near.map { "name \($0) in \(place) if that is meant" } ?? "correct \(place): \(all)")
        }
    }
}
