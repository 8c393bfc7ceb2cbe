import Heybot
import HeybotSupport

/// A Hubot script as a script of the robot: each of its listeners is a listener of the robot.
struct HubotScriptProxy: Script {
    let name: String
    private let driver: HostSessionDriver
    private let listeners: [AnnouncedListener]
    private let help: RespondAndHearHelpLines
    private let ids: [String?]
    private let robotName: String

    /// The scripts that were loaded, in order.
    static func scripts(of session: HostSession, _ driver: HostSessionDriver) -> [any Script] {
        let listeners = Dictionary(grouping: session.listeners) { $0.script ?? "" }
        var ids: Set<String> = []
        return session.scripts.compactMap { script in
            let own = listeners[script.id] ?? []
            guard script.error == nil || !own.isEmpty else { return nil }
            // Two scripts may give their listeners the same id; the robot's must be unique.
            let named = own.map { listener in
                listener.options?["id"]?.stringValue.flatMap { !$0.isEmpty && ids.insert($0).inserted ? $0 : nil }
            }
            return HubotScriptProxy(
                name: script.id, driver: driver, listeners: own,
                help: RespondAndHearHelpLines(script.commands ?? [], robotName: session.robotName), ids: named,
                robotName: session.robotName)
        }
    }

    func register(on robot: inout RobotBuilder) {
        let kinds = listeners.map(\.kind)
        for (number, listener) in listeners.enumerated() {
            var help: [String] = []
            if number == kinds.firstIndex(of: .respond) { help += self.help.commands }
            if number == kinds.firstIndex(of: .hear) { help += self.help.others }
            add(listener, id: ids[number], help: help + ownHelp(of: listener), to: &robot)
        }
        // Help of a script without a listener of the right kind.
        let hidden: [(Listener.Trigger, [String])] = [
            (.respond, kinds.contains(.respond) ? [] : help.commands),
            (.hear, kinds.contains(.hear) ? [] : help.others)
        ]
        for (trigger, help) in hidden where !help.isEmpty {
            // A pattern that matches nothing.
            robot.listen(remote: RemoteListener(trigger, pattern: "[]", help: help)) { _ in throw SkipListener() }
        }
    }

    /// The help in a listener's options: a line or a list of lines, without those that the script's header comment has.
    private func ownHelp(of listener: AnnouncedListener) -> [String] {
        guard [.respond, .hear, .listen].contains(listener.kind), let option = listener.options?["help"] else {
            return []
        }
        let texts = option.stringValue.map { [$0] } ?? option.elements.compactMap(\.stringValue)
        let lines = RespondAndHearHelpLines(
            texts.prefix(Self.ownHelpLimit.lines).map { String($0.prefix(Self.ownHelpLimit.characters)) },
            robotName: robotName)
        return (lines.commands + lines.others).filter { !help.commands.contains($0) && !help.others.contains($0) }
    }

    private static let ownHelpLimit = (lines: 20, characters: 500)

    private func add(_ listener: AnnouncedListener, id: String?, help: [String], to robot: inout RobotBuilder) {
        let (driver, key) = (driver, listener.key)
        let remote = RemoteListener(
            listener.kind.trigger, pattern: listener.pattern, flags: listener.flags ?? "", id: id, help: help)
        robot.listen(remote: remote) { call in
            try await driver.call(key, call, kind: listener.kind)
        }
        guard listener.kind == .listen else { return }
        // Hubot asks such a listener again about a message that nothing has matched.
        robot.listen(remote: RemoteListener(.catchAll)) { call in
            try await driver.call(key, call, kind: .catchAll)
        }
    }
}

extension AnnouncedListener.Kind {
    /// The kind of listener in the robot.
    var trigger: Listener.Trigger {
        switch self {
        case .hear: .hear
        case .respond: .respond
        case .listen: .listen
        case .enter: .enter
        case .leave: .leave
        case .topic: .topic
        case .catchAll: .catchAll
        }
    }

    /// The kind of message that it is asked about.
    func question(about message: Message) -> String { self == .catchAll ? "catchAll" : message.hubotKind }
}

extension HostSession {
    fileprivate var robotName: String { start.name }
}
