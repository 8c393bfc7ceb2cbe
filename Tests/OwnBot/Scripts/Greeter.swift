public import Heybot

/// Greets.
public struct Greeter: Script {
    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/hello/, help: "hello - Say hello", example: "hello") { res in
            try await res.reply("Hello from \(res.robot.name).")
        }
    }
}
