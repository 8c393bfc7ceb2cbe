import Heybot
import XMPPAdapter

extension ReadSettings {
    /// The settings of a robot with these scripts: what names a script must name one of them.
    ///
    /// - Parameter isServing: Whether there may be a web server.
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
        return problems(in: "SCRIPTS_OFF", settings.switches.scripts.sorted(), "no script", scripts)
            + problems(
                in: "LOG_LEVEL", settings.log.levels.names, "no script and no part of the robot", parts + scripts)
    }

    /// What is wrong with the settings of the adapters that are to run.
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
        // What two adapters share is wrong once.
        return problems.enumerated().filter { problems.firstIndex(of: $1) == $0 }.map(\.element)
    }

    private func problems(
        in name: String, _ found: [String], _ what: String, _ known: [String]
    ) -> [SettingsProblem] {
        guard let setting = table.first(where: { $0.name == name }), let place = place(of: name) else { return [] }
        return found.filter { name in !known.contains { $0.lowercased() == name.lowercased() } }.map { unknown in
            let reason = "\(Self.name(of: setting, from: source(of: setting))) names \(unknown), which is \(what)"
            let all = "there are \(known.joined(separator: ", "))"
            let near = nearest(unknown, of: known)
            return SettingsProblem(
                line: "\(reason); \(near.map { "did you mean \($0)?" } ?? all)", reason: reason,
                cure: near.map { "name \($0) in \(place) if that is meant" } ?? "correct \(place): \(all)")
        }
    }
}
