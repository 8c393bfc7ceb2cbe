// The command `heybot` with LISTENERS additional listeners, for irc-flood.py. Their patterns are given as text or, with
// PATTERNS=regex, as regexes that the script makes.

import FoundationEssentials
import Heybot
import HeybotCommand
import StandardScripts

/// Listeners that match no usual message.
struct ManyListeners: Script {
    typealias Output = (Substring, Substring, Substring)

    let count: Int
    let makesRegexes: Bool

    func register(on robot: inout RobotBuilder) {
        for number in 0..<count {
            let pattern = "\\b(?:deploy\(number)|ship\(number))\\s+(\\w+) to (\\w+)$"
            if !makesRegexes {
                robot.hear(pattern: pattern, as: Output.self) { try await $0.send("\($0.match.1) is at \($0.match.2)") }
            } else if let regex = try? Regex(pattern, as: Output.self) {
                robot.hear(regex) { try await $0.send("\($0.match.1) is at \($0.match.2)") }
            }
        }
    }
}

let environment = ProcessInfo.processInfo.environment
let script = ManyListeners(
    count: environment["LISTENERS"].flatMap { Int($0) } ?? 0, makesRegexes: environment["PATTERNS"] == "regex")
await Command.main(scripts: standardScripts + [script])
