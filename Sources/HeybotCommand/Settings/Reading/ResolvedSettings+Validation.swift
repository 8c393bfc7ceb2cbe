import Heybot

extension ResolvedSettings {
    /// Reads the settings of a robot with these scripts, and checks that names of scripts in them exist.
    ///
    /// - Parameter isServing: Whether the web server may run.
    init(
        _ options: Options, _ scripts: [any Script], isServing: Bool = true, environment: [String: String]
    ) throws(InvalidSettingsError) {
        var values = SettingValues()
        let networks = values.readNetworks(flags: options.flags, environment: environment)
        let table =
            Setting.all + Setting.settings(of: scripts) + Setting.settings(of: networks, in: Setting.all)
        try self.init(
            table, values, flags: options.flags, environment: environment, readFile: { SettingsFile.read($0, table) },
            check: {
                Setting.problems(of: scripts) + $0.unknownNames(scripts.map(\.name))
                    + $0.networkProblems() + $0.partProblems(isServing: isServing)
            })
    }

    private func unknownNames(_ scripts: [String]) -> [SettingsProblem] {
        let known =
            Network.robotParts + AdapterName.allCases.map(\.rawValue)
            + settings.networkNames.values.joined().sorted()
        return problems(in: "SCRIPTS_OFF", settings.switches.scripts.sorted(), "not a script", scripts)
            + problems(
                in: "LOG_LEVEL", settings.log.levels.names, "neither a script nor a part of the robot", known + scripts)
    }

    /// The problems with the settings of the parts, and of the chosen adapters.
    private func partProblems(isServing: Bool) -> [SettingsProblem] {
        let isServing = isServing && includedParts.contains { $0.isServing(settings) }
        let problems =
            includedParts.flatMap { $0.problems(in: settings) }
            + settings.networks.flatMap { network in
                network.kind.part?.problems(of: network, in: self, isServing: isServing) ?? []
            }
        // Adapters that share settings would report the same problem twice.
        return problems.enumerated().filter { problems.firstIndex(of: $1) == $0 }.map(\.element)
    }

    /// Settings that don't say which of several networks they are for, and names that two networks have.
    private func networkProblems() -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        for kind in settings.adapters {
            let networks = settings.networks(of: kind)
            guard let first = networks.first, networks != [Network(kind)] else { continue }
            let names = networks.map(\.name).joined(separator: ", ")
            for setting in table where setting.isOfOneNetwork && setting.group == kind.rawValue && isSet(setting.name) {
                let own = first.prefix + setting.name.dropFirst(Network(kind).prefix.count)
                problems.append(
                    SettingsProblem(
                        "\(source(of: setting).name) doesn't say which network it is for (\(names))",
                        fix: "set HEYBOT_\(own) instead"))
            }
            for admin in settings.admins.sorted() where admin.hasPrefix("\(kind.rawValue):") {
                problems.append(
                    SettingsProblem(
                        "HEYBOT_AUTH_ADMIN names \(admin), but no network is called \(kind.rawValue) (\(names))",
                        fix: "write \(first.name)\(admin.dropFirst(kind.rawValue.count)) in it"))
            }
        }
        var known: Set<String> = []
        for network in settings.networks where !known.insert(network.name).inserted {
            problems.append(
                SettingsProblem("two networks are called \(network.name)", fix: "give one of them another name"))
        }
        return problems
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
