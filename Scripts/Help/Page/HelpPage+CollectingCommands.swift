import Heybot

extension HelpPage {
    /// Creates a page with the commands of all enabled scripts.
    init(of robot: Robot, without hidden: ConfiguredHiddenCommands, query: String) {
        let off = robot.switches.off
        func access(to listener: Listener) -> String? {
            let access = robot.access(to: listener)
            return access == .everyone ? nil : "\(access)"
        }
        let listeners = robot.listeners
        func commands(of scripts: [String]) -> [Command] {
            scripts.flatMap { script in
                listeners.filter { $0.script == script }
                    .flatMap {
                        Self.commands(
                            of: $0, access: access(to: $0), missingSettings: robot.missingSettings(of: script))
                    }
            }.filter { !hidden.include($0.usage) }
        }
        let scripts = robot.scripts.filter { !off.contains($0) }
        let known = ScriptTopic.allCases.filter { $0 != .other }.map { topic in
            Section(name: topic.title, commands: commands(of: scripts.filter { robot.topic(of: $0) == topic }))
        }
        let others = scripts.filter { robot.topic(of: $0) == .other }
            .map { Section(name: $0, commands: commands(of: [$0])) }
        let nonce = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
        self.init(robotName: robot.name, sections: known + others, query: query, nonce: nonce)
    }

    /// Returns a listener's commands, with the example at the command it belongs to.
    private static func commands(
        of listener: Listener, access: String?, missingSettings: String?
    ) -> [Command] {
        let exampleLine = listener.helpLineOfExample
        return listener.help.map { line in
            Command(
                usage: line.usage, purpose: line.purpose, example: line == exampleLine ? listener.example : nil,
                access: access, isHeard: listener.trigger == .hear,
                missingSettings: missingSettings)
        }
    }
}
