import Dispatch
import Heybot
import HeybotCommand
import StandardScripts

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Crashes the robot in several ways.
struct Oops: Script {
    func register(on robot: inout RobotBuilder) {
        robot.respond(/oops (?<number>\w+)$/, help: "oops <number> - Trap unless it is a number", example: "oops 1") {
            res in
            // swift-format-ignore: NeverForceUnwrap
            try await res.send("\(Int(res.match.number)!)")
        }
        robot.observe { message, _ in
            if message.text == "look out" { fatalError("while observing") }
            return nil
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
        robot.respond(/elsewhere$/, help: "elsewhere - Trap on another thread", example: "elsewhere") { res in
            DispatchQueue.global().async { fatalError("on no script's thread") }
            try await Task.sleep(for: .seconds(60))
        }
        robot.respond(/nap (?<text>.+)$/, help: "nap <text> - Wait 50 ms, and say it", example: "nap hi") { res in
            try await Task.sleep(for: .milliseconds(50))
            try await res.send(String(res.match.text))
        }
        robot.respond(/work (?<text>.+)$/, help: "work <text> - Compute for 5 ms, and say it", example: "work hi") {
            res in
            let end = ContinuousClock.now + .milliseconds(5)
            while ContinuousClock.now < end {}
            try await res.send(String(res.match.text))
        }
        robot.respond(
            /quoted$/, id: "a \"\\\n name", help: "quoted - Trap in a listener with a name to escape", example: "quoted"
        ) { _ in fatalError("on purpose") }
        robot.respond(/bug$/, help: "bug - Throw an error of an unknown type", example: "bug") { _ in throw Bug() }
        robot.respond(/misread$/, help: "misread - Throw the error of an unreadable answer", example: "misread") { _ in
            throw HTTPError(.unreadable, host: "service.example.org", "no value for key degrees")
        }
        robot.respond(/away$/, help: "away - Throw the error of an unreachable service", example: "away") { _ in
            throw HTTPError(.unreachable, host: "service.example.org")
        }
    }

    private struct Bug: Error, CustomStringConvertible {
        var description: String { "the list is empty" }
    }

    static func depth(_ number: Int) -> Int { number == 0 ? 0 : 1 + depth(number + 1) }
}

/// A way in which a script's closure takes its process with it, or never ends.
enum Fault: String, CaseIterable {
    case index, unwrap, overflow, fatal, signal, loop

    func happen() -> Int {
        switch self {
        case .index: return [1][Int("5") ?? 5]
        case .unwrap:
            let number: Int? = Int("none")
            // swift-format-ignore: NeverForceUnwrap
            return number!
        case .overflow: return Oops.depth(1)
        case .fatal: fatalError("a fatal error")
        case .signal: return Int(raise(SIGSEGV))
        case .loop: while true {}
        }
    }
}

/// Has one fault.
///
/// A script is disabled after its third crash, so there are several with each.
struct Faulty: Script {
    let name: String
    let fault: Fault

    func register(on robot: inout RobotBuilder) {
        robot.respond(pattern: "\(name.lowercased())$", as: Substring.self, help: "\(name.lowercased()) - Crash") {
            [fault] res in
            try await res.send("\(fault.happen())")
        }
    }
}

let faulty = Fault.allCases.flatMap { fault in
    (1...5).map {
        Faulty(name: fault.rawValue.prefix(1).uppercased() + fault.rawValue.dropFirst() + "Fault\($0)", fault: fault)
    }
}

await Command.main(scripts: standardScripts + [Oops()] + faulty)
