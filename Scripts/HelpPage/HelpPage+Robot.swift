import Heybot

extension HelpPage {
    /// Everything a robot's scripts can do that aren't off.
    init(of robot: Robot, without hidden: HiddenCommands, query: String) {
        let off = robot.switches.off
        let listeners = robot.listeners
        let groups = robot.scripts.filter { !off.contains($0) }.map { script in
            Group(
                name: script,
                commands: listeners.filter { $0.script == script }.flatMap(Self.commands)
                    .filter { !hidden.include($0.usage) })
        }
        let nonce = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
        self.init(robotName: robot.name, groups: groups, query: query, nonce: nonce)
    }

    /// A listener's commands; its example stands with the last.
    private static func commands(of listener: Listener) -> [Command] {
        listener.help.enumerated().map { index, line in
            Command(
                usage: line.usage, purpose: line.purpose,
                example: index == listener.help.count - 1 ? listener.example : nil,
                isForAdmins: listener.access == .admins, isHeard: listener.trigger == .hear)
        }
    }
}
