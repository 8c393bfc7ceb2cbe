import Dispatch
import Heybot
import HeybotCommand
import StandardScripts

/// Ends the robot in several ways.
struct Oops: Script {
    func register(on robot: inout RobotBuilder) {
        robot.respond(/oops (?<number>\w+)$/, help: "oops <number> - Trap if that is no number", example: "oops 1") {
            res in
            // swift-format-ignore: NeverForceUnwrap
            try await res.send("\(Int(res.match.number)!)")
        }
        robot.respond(/later (?<number>\w+)$/, help: "later <number> - The same, on another thread", example: "later 1")
        {
            res in
            try await Task.sleep(for: .milliseconds(1))
            // swift-format-ignore: NeverForceUnwrap
            try await res.send("\(Int(res.match.number)!)")
        }
        robot.respond(/deep (?<number>\d+)$/, help: "deep <number> - Overflow the stack", example: "deep 0") { res in
            try await res.send("\(Self.depth(Int(res.match.number) ?? 0))")
        }
        robot.respond(/elsewhere$/, help: "elsewhere - Trap on a thread of nobody's", example: "elsewhere") { res in
            DispatchQueue.global().async { fatalError("on no script's thread") }
            try await Task.sleep(for: .seconds(60))
        }
        robot.respond(/bug$/, help: "bug - Throw an error of nobody's", example: "bug") { _ in throw Bug() }
        robot.respond(/misread$/, help: "misread - Read an answer as what it isn't", example: "misread") { _ in
            throw HTTPError(.unreadable, host: "service.example.org", "no value for key degrees")
        }
        robot.respond(/away$/, help: "away - Ask a service that is away", example: "away") { _ in
            throw HTTPError(.unreachable, host: "service.example.org")
        }
    }

    private struct Bug: Error, CustomStringConvertible {
        var description: String { "the list is empty" }
    }

    private static func depth(_ number: Int) -> Int { number == 0 ? 0 : 1 + depth(number + 1) }
}

await Command.main(scripts: standardScripts + [Oops()])
