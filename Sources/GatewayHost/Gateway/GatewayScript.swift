import Heybot

/// The only script of a gateway's robot: it passes all messages to the workers.
struct GatewayScript: Script {
    /// Its name.
    let name = "Gateway"
    private let driver: GatewayDriver

    /// Creates the script of a driver's robot.
    init(_ driver: GatewayDriver) { self.driver = driver }

    /// Has the robot pass its messages on, and start and stop the workers.
    func register(on robot: inout RobotBuilder) {
        robot.forward(
            to: { [driver] messages in driver.forward(messages) },
            commands: { [driver] user, room in await driver.commands(for: user, in: room) })
        robot.accompany(
            with: RobotCompanion(
                start: { [driver] in await driver.start(for: $0) }, finish: { [driver] _ in await driver.finish() },
                stop: { [driver] _ in await driver.stop() }))
    }
}
