// The command `heybot` with LISTENERS additional listeners, for irc-flood.py.

import FoundationEssentials
import Heybot
import HeybotCommand
import StandardScripts

/// Listeners that match no usual message.
struct ManyListeners: Script {
    let count: Int

    func register(on robot: inout RobotBuilder) {
        for number in 0..<count {
            let pattern = try? Regex(
                "\\b(?:deploy\(number)|ship\(number))\\s+(\\w+) to (\\w+)$", as: (Substring, Substring, Substring).self)
            if let pattern { robot.hear(pattern) { try await $0.send("\($0.match.1) is at \($0.match.2)") } }
        }
    }
}

let count = ProcessInfo.processInfo.environment["LISTENERS"].flatMap { Int($0) } ?? 0
await Command.main(scripts: standardScripts + [ManyListeners(count: count)])
