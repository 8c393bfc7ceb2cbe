/// The parts that each robot has beside its adapters, in the order they are looked at.
enum CheckPart: String, CaseIterable {
    case settings, scripts, help, data, brain, robot, web, services
}
