import FoundationEssentials
import HeybotSupport

/// A network that an adapter connects to.
///
/// A robot may connect to several networks of a kind. Each then has a name, and an adapter with that name.
struct Network: Hashable, Sendable {
    /// The kind of adapter.
    let kind: AdapterName
    /// The adapter's name, which is part of the ids of its users and rooms: `libera`, or `irc` if it is the only one.
    let name: String

    init(_ kind: AdapterName, name: String? = nil) {
        self.kind = kind
        self.name = name ?? kind.rawValue
    }

    /// The beginning of its settings' names, such as `IRC_` or `IRC_LIBERA_`.
    var prefix: String {
        let prefix = "\(kind.rawValue.uppercased())_"
        return name == kind.rawValue ? prefix : "\(prefix)\(name.uppercased())_"
    }

    /// The name of one of its settings, such as `HEYBOT_IRC_LIBERA_NICK` for `NICK`.
    func variable(_ name: String) -> String { "HEYBOT_\(prefix)\(name)" }
}

extension ResolvedSettings {
    /// The name of a network's setting: without the network's name if only the one for all networks is set.
    func variable(_ name: String, of network: Network) -> String {
        let all = Network(network.kind)
        let isShared = !isSet("\(network.prefix)\(name)") && isSet("\(all.prefix)\(name)")
        return (isShared ? all : network).variable(name)
    }
}

extension SettingValues {
    /// The networks that the robot connects to, with the terminal, in the order of the adapters.
    var networks: [Network] { adapters.flatMap(networks) }

    /// The networks of a kind.
    func networks(of kind: AdapterName) -> [Network] {
        let names = networkNames[kind] ?? []
        return names.isEmpty ? [Network(kind)] : names.map { Network(kind, name: $0) }
    }
}

extension Setting {
    /// The setting of the same name for one of several networks; nil if it can't differ between networks.
    ///
    /// The setting without a network's name applies to all networks that don't have their own value.
    private func setting(of network: Network) -> Setting? {
        let kind = Network(network.kind)
        guard let key, name.hasPrefix(kind.prefix), group == kind.name,
            !["NETWORKS", "DEBUG"].contains(name.dropFirst(kind.prefix.count))
        else { return nil }
        var setting = self
        setting.name = network.prefix + name.dropFirst(kind.prefix.count)
        setting.key = "\(kind.name).\(network.name)\(key.dropFirst(kind.name.count))"
        (setting.formerly, setting.flags, setting.others, setting.isReadFromHubot) = (nil, [], [], false)
        setting.meaning = "for the network `\(network.name)`: \(meaning)"
        setting.fallback = isOfOneNetwork ? fallback : variable
        (setting.isOfOneNetwork, setting.isAdvanced) = (false, true)
        let (set, show) = (set, show)
        setting.set = { text, settings in settings.update(network) { set(text, &$0) } }
        setting.show = { show($0.values(of: network)) }
        return setting
    }

    /// The settings of these networks.
    static func settings(of networks: [Network], in table: [Setting]) -> [Setting] {
        networks.flatMap { network in table.compactMap { $0.setting(of: network) } }
    }
}

extension Network {
    /// The kinds of adapters of which there can be several.
    static let kinds = AdapterName.allCases.filter { kind in
        Setting.all.contains { $0.name == "\(Network(kind).prefix)NETWORKS" }
    }

    /// The network that a variable such as `HEYBOT_IRC_LIBERA_NICK` is for; nil if it is for none.
    init?(ofVariable variable: String, in table: [Setting]) {
        for kind in Self.kinds {
            let start = "HEYBOT_\(Network(kind).prefix)"
            guard variable.hasPrefix(start) else { continue }
            let parts = variable.dropFirst(start.count).split(separator: "_", maxSplits: 1)
            guard parts.count == 2, let first = parts.first, let rest = parts.last,
                Self.isName(first.lowercased(), of: kind),
                table.contains(where: { $0.name == "\(Network(kind).prefix)\(rest)" })
            else { continue }
            self.init(kind, name: first.lowercased())
            return
        }
        return nil
    }

    /// The names of the robot's parts in log levels, which mean no network.
    static let robotParts = ["robot", "redis", "web", "http", "hubot", "music"]

    /// Whether a name can be that of a network: letters and digits, and neither the name of an adapter or a part of the robot
    /// nor the beginning of a setting's name.
    static func isName(_ name: String, of kind: AdapterName) -> Bool { objection(to: name, of: kind) == nil }

    /// Returns why a name can't be that of a network, as in `a-b can't be the name of a network, because …`; nil if it can.
    static func objection(to name: String, of kind: AdapterName) -> String? {
        guard let reason = reason(against: name, of: kind) else { return nil }
        return "\(name.isEmpty ? "an empty text" : name) can't be the name of a network, because \(reason)"
    }

    private static func reason(against name: String, of kind: AdapterName) -> String? {
        guard name.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }) else {
            return "it has other characters than a to z and 0 to 9"
        }
        guard name.first?.isLetter == true else { return "it doesn't begin with a letter" }
        guard name.utf8.count <= 32 else { return "it is longer than 32 characters" }
        if robotParts.contains(name) { return "it is a part of the robot" }
        if AdapterName.allCases.contains(where: { $0.rawValue == name }) { return "it is the name of an adapter" }
        let (prefix, key) = ("\(Network(kind).prefix)\(name.uppercased())", "\(kind.rawValue).\(name)")
        let setting = Setting.all.first { setting in
            setting.name == prefix || setting.name.hasPrefix("\(prefix)_") || setting.key == key
        }
        return setting.map { "there are settings such as \($0.variable)" }
    }
}

extension SettingValues {
    /// Sets the names of the networks with settings in the settings file, which are used unless others are listed.
    ///
    /// - Returns: All networks that the environment or the file names. Invalid names are left out; they are reported when the
    ///   settings are read.
    mutating func readNetworks(flags: [String: String], environment: [String: String]) -> [Network] {
        func text(_ name: String) -> String? {
            let setting = Setting.all.first { $0.name == name }
            return flags[name] ?? setting?.variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let file = SettingsFile.networkNames(text("CONFIG"))
        return Network.kinds.flatMap { kind -> [Network] in
            let names = file[kind] ?? (sections: [], listed: [])
            networkNames[kind] = names.sections
            let listed = commaSeparated((text("\(Network(kind).prefix)NETWORKS") ?? "").lowercased())
            let all = Set(names.sections + names.listed + listed).filter { Network.isName($0, of: kind) }
            return all.sorted().map { Network(kind, name: $0) }
        }
    }
}

extension SettingsFile {
    /// The names of networks in the file, by kind: those with a section, such as `libera` in `irc: { libera: { … } }`, and those
    /// in a list `networks`.
    ///
    /// What else is in the file, and whether it can be read, doesn't matter here.
    static func networkNames(_ path: String?) -> [AdapterName: (sections: [String], listed: [String])] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        guard let data = try? Data(contentsOf: URL(filePath: path ?? defaultPath)),
            case .object(let values) = try? decoder.decode(JSONValue.self, from: data)
        else { return [:] }
        var names: [AdapterName: (sections: [String], listed: [String])] = [:]
        for kind in Network.kinds {
            guard case .object(let members) = values[kind.rawValue] else { continue }
            let sections = members.filter { name, value in
                if case .object = value { Network.isName(name, of: kind) } else { false }
            }
            let listed: [String] =
                switch members["networks"] {
                case .string(let text): commaSeparated(text.lowercased())
                case .array(let values): values.compactMap { $0.stringValue?.lowercased() }
                default: []
                }
            names[kind] = (sections.keys.sorted(), listed)
        }
        return names
    }
}

extension ValueParser where Value == [String] {
    /// The names of several networks of a kind.
    static func networks(of kind: AdapterName) -> ValueParser {
        ValueParser(
            shape: .list, expected: "names of letters and digits, such as libera, separated by commas",
            read: { text in
                let names = commaSeparated(text.lowercased())
                let areValid = names.allSatisfy { Network.isName($0, of: kind) }
                return names.isEmpty || !areValid || Set(names).count < names.count ? nil : names
            },
            show: { $0.isEmpty ? nil : $0.joined(separator: ",") },
            why: { text in
                let names = commaSeparated(text.lowercased())
                if let objection = names.lazy.compactMap({ Network.objection(to: $0, of: kind) }).first {
                    return objection
                }
                return names.first { name in names.count(where: { $0 == name }) > 1 }.map { "\($0) is listed twice" }
            })
    }
}
