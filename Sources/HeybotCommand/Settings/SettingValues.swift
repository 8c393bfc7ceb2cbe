import Heybot

/// The values of all settings, initially the defaults.
struct SettingValues: Sendable {
    var config: String?
    var name = "Heybot"
    var alias: String?
    var adapters: [AdapterName] = [.shell]
    var data: String?
    var isShared = false
    /// Whether connections and scripts are in one process.
    var isSingle = true
    var log = Log()
    var admins: Set<String> = []
    var switches = DisabledScripts()
    var limits = Robot.Limits()
    var shell = Shell()
    var httpClient = HTTPClient()
    /// The adapters of which every line or stanza is logged.
    var tracedAdapters: Set<AdapterName> = []
    /// The names of the networks of each kind of adapter; empty if there is only one network.
    var networkNames: [AdapterName: [String]] = [:]
    /// The values for networks that have settings of their own, with those that apply to all networks.
    private var networkValues: [Network: SettingValues] = [:]
    /// The values of the scripts' settings, by name.
    var scripts: [String: String] = [:]
    /// The values of the parts' settings, by type.
    private var parts: [ObjectIdentifier: any Sendable] = [:]

    /// The values of a part's settings, which have a type of their own.
    subscript<Value: Sendable>(part fallback: @autoclosure () -> Value) -> Value {
        get { parts[ObjectIdentifier(Value.self)] as? Value ?? fallback() }
        set { parts[ObjectIdentifier(Value.self)] = newValue }
    }

    /// The values for a network.
    func values(of network: Network) -> SettingValues { networkValues[network] ?? self }

    /// Changes the values for a network.
    ///
    /// Call it after the settings that apply to all networks have been set.
    mutating func update(_ network: Network, _ change: (inout SettingValues) -> Bool) -> Bool {
        var values = values(of: network)
        values.networkValues = [:]
        guard change(&values) else { return false }
        networkValues[network] = values
        return true
    }

    /// The log settings, including the adapters' debug settings.
    var logging: Log {
        var log = log
        for network in tracedAdapters.flatMap(networks) { log.levels.trace(network.name) }
        return log
    }

    struct Log: Sendable {
        var levels = LogLevels()
        /// If nil, the format depends on whether standard error is a terminal.
        var format: LogFormat?
    }

    struct Shell: Sendable {
        var userID = "1"
        var userName = "Shell"
        var historySize = 1_024
    }
}

/// The name of an adapter.
struct AdapterName: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    static let shell = AdapterName(rawValue: "shell")

    /// The names of the adapters in this build.
    static let allCases = [shell] + includedParts.flatMap(\.adapters)

    /// The part that it belongs to; nil for the terminal.
    var part: (any RobotPart)? { includedParts.first { $0.adapters.contains(self) } }

    static let expected = allCases.map(\.rawValue).joined(separator: ", ")
}
