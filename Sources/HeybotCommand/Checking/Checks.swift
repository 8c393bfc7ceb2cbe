import FoundationEssentials
import Heybot
import HeybotWebServer
import Logging
import Synchronization

/// Everything that can be known of a robot before it goes live, part by part.
struct Checks {
    /// How long it may take at each server.
    private static let limit: Duration = .seconds(30)

    let parts: Parts
    let table: CheckTable

    /// Looks at everything, prints each part once it is known, and returns what it came to.
    func run() async throws -> CheckTable {
        var table = table
        let set = parts.read.table.count { parts.read.isSet($0.name) }
        let file = parts.settings.config.map { "\($0), " } ?? ""
        try table.write(.settings, [CheckStep("", .passed("\(file)\(set) set"))] + hubotsSettings())
        let robot = parts.robot(logger: Logger(label: "heybot"))
        try table.write(
            .scripts,
            steps("correct the script, or switch it off with HEYBOT_SCRIPTS_OFF") { try parts.checkScripts(of: robot) })
        try table.write(.scripts, HubotFolder(FileManager.default.currentDirectoryPath).check())
        try table.write(.help, steps("correct the example, or the script") { try parts.checkHelp(of: robot) })
        let data = parts.data.check()
        try table.write(.data, [CheckStep(parts.data.path, data)])
        try table.write(.brain, await brain(of: robot, data))
        // Only the brain knows what is switched off.
        try table.write(.scripts, parts.checkCrashes(of: robot))
        let live = HealthSocket.ask(in: parts.data)
        try table.write(
            .robot, live.isEmpty ? [CheckStep("", .passed("none runs with this data"))] : live.map(Self.step))
        try table.write(.web, await web(of: robot, live))
        // All at once: each waits for servers.
        let checks = robot.adapters.map { adapter in (adapter.name, Task { await Self.steps(of: adapter) }) }
        for (name, check) in checks { try table.write(name, await check.value) }
        try table.write(.services, await services(of: robot))
        return table
    }

    /// - Parameter cure: What to do about each line of an error.
    private func steps(_ cure: String, _ check: () throws -> String) -> [CheckStep] {
        do {
            return [CheckStep("", .passed(try check()))]
        } catch {
            return Failure(error).lines.map { CheckStep("", .failed($0, cure: cure)) }
        }
    }

    /// What a Hubot's environment has that isn't taken over.
    private func hubotsSettings() -> [CheckStep] {
        parts.read.leftOver.compactMap { name in
            guard parts.read.table.contains(where: { $0.hubotVariable == name }) else { return nil }
            let own = name.replacing("HUBOT_", with: "HEYBOT_")
            return CheckStep(
                name,
                .warned(
                    "isn't taken over: what it may see, everybody could ask the robot for",
                    cure: "if that is meant, set \(own)"))
        }
            + (parts.read.leftOver.isEmpty
                ? []
                : [
                    CheckStep(
                        "HUBOT_…",
                        .skipped(
                            "\(parts.read.leftOver.count) known only to a Hubot's scripts; heybot settings lists them"))
                ])
    }

    // MARK: The brain, and who else has it

    private func brain(of robot: Robot, _ data: CheckStep.Outcome) async -> [CheckStep] {
        if case .failed = data, parts.brainFile != nil {
            return [CheckStep(parts.brainPlace, .skipped("the data folder comes first"))]
        }
        if let file = parts.brainFile, parts.data.isForeign, !FileManager.default.fileExists(atPath: file) {
            return [CheckStep(file, .skipped("the robot couldn't write what root had made"))]
        }
        do {
            try await parts.checkBrain(of: robot)
            return [CheckStep(parts.brainPlace, .passed("opened, written and read back"))]
        } catch {
            return [CheckStep(parts.brainPlace, failure(error))]
        }
    }

    /// Why the brain can't be used.
    private func failure(_ error: any Error) -> CheckStep.Outcome {
        let isFile = parts.brainFile != nil
        let isUntrusted = (error as? StoreError)?.code == .untrusted
        let setting = isFile ? "HEYBOT_DATA" : isUntrusted ? "HEYBOT_REDIS_CA_FILE" : "HEYBOT_REDIS_URL"
        if let error = error as? StoreError, error.cure != nil { return .failed(error, setting: setting) }
        // Whatever SQLite has come upon, it is none of what has a cure of its own.
        return .failed(
            "\(error)", cure: isFile ? "see whether its disk is well, or set \(setting)" : "check \(setting)")
    }

    private static func step(_ answer: HealthSocket.Answer) -> CheckStep {
        switch answer {
        case .robot: CheckStep("", .passed("one runs with this data, and was left alone"))
        case .trouble(let trouble): CheckStep("", .warned(trouble, cure: "see heybot health"))
        }
    }

    // MARK: The web

    private func web(of robot: Robot, _ live: [HealthSocket.Answer]) async -> [CheckStep] {
        guard let server = parts.webServer else { return [CheckStep("", .skipped("switched off"))] }
        guard robot.wantsServer else {
            return [CheckStep("", .skipped("no script wants it, and HEYBOT_PORT isn't set"))]
        }
        let place = "\(server.configuration.address):\(server.configuration.port)"
        do {
            try await server.check()
            return [CheckStep(place, .passed("the port can be had"))]
        } catch {
            if live.contains(where: { $0.robot?.webPort == server.configuration.port }) {
                return [CheckStep(place, .passed("the robot that runs with this data has it"))]
            }
            let cure = error.cure ?? "check HEYBOT_PORT and HEYBOT_BIND_ADDRESS"
            return [CheckStep(place, .failed(error.reason, cure: cure))]
        }
    }

    // MARK: Adapters

    private static func steps(of adapter: any Adapter) async -> [CheckStep] {
        guard let adapter = adapter as? any Checkable else {
            return [CheckStep("", .skipped("there is nothing to find out before it runs"))]
        }
        let steps = Mutex<[CheckStep]>([])
        await adapter.check(within: limit) { step in steps.withLock { $0.append(step) } }
        return steps.withLock { $0 }
    }

    // MARK: Services

    /// How the services are that scripts ask.
    private func services(of robot: Robot) async -> [CheckStep] {
        let scripts = parts.scripts.filter { !robot.switches.off.contains($0.name) }
        var seen: Set<String> = []
        let probes = scripts.flatMap { script in
            script.settings.filter { seen.insert($0.name).inserted }.map { setting in
                Task { await step(of: setting, of: script) }
            }
        }
        var steps = scripts.compactMap { unset(of: $0, in: robot) }
        for probe in probes { if let step = await probe.value { steps.append(step) } }
        return steps
    }

    /// The keys and places of services that a script lacks, with what people say to it; nil if it lacks none.
    private func unset(of script: any Script, in robot: Robot) -> CheckStep? {
        let services = script.settings.filter(\.isOfService)
        let missing = services.filter { parts.settings.scripts[$0.name] == nil }
        // Most need one of several: with one of them set, the script itself says whether that will do.
        let isEnough = missing.count < services.count && robot.missingSettings(of: script.name) == nil
        if missing.isEmpty || isEnough { return nil }
        let commands = robot.listeners.filter { $0.script == script.name }.flatMap(\.help).map(\.usage)
        return CheckStep(
            script.name,
            .skipped(
                "not set: \(missing.map { "HEYBOT_\($0.name)" }.joined(separator: ", "))"
                    + (commands.isEmpty ? "" : "; wanted by \(commands.prefix(2).joined(separator: ", "))")))
    }

    /// Whether a service answers; nil if the setting isn't the place of one, or nobody has set it.
    private func step(of setting: any AnyScriptSetting, of script: any Script) async -> CheckStep? {
        guard let probe = setting.probe, let place = parts.settings.scripts[setting.name], setting.takes(place) else {
            return nil
        }
        var base = place[...]
        while base.last == "/" { base.removeLast() }
        var request = HTTPRequest(.get, "\(base)\(probe)")
        request.deadline = .seconds(10)
        let cure = "check HEYBOT_\(setting.name): \(setting.meaning)"
        do {
            let status = try await parts.http.send(request).status
            // Without a probe it is a place that may have nothing to show by itself.
            guard status < (probe.isEmpty ? 500 : 400) else { throw HTTPError(.status(status), host: request.host) }
            return CheckStep(script.name, .passed("\(request.host) answers"))
        } catch let error as HTTPError where error.code == .tooLong && probe.isEmpty {
            return CheckStep(script.name, .passed("\(request.host) answers"))
        } catch {
            return CheckStep(script.name, .warned("\(error)", cure: cure))
        }
    }
}

extension AnyScriptSetting {
    /// Whether it is a key, or where something is, and nothing stands in for it.
    fileprivate var isOfService: Bool { fallback == nil && (isSecret || probe != nil) }
}

/// The parts that each robot has beside its adapters, in the order they are looked at.
enum CheckPart: String, CaseIterable {
    case settings, scripts, help, data, brain, robot, web, services
}

/// An error that tells what is wrong, and apart from that what can be done about it.
protocol CuredError: Error {
    var reason: String { get }
    /// Nil if it knows none.
    var cure: String? { get }
}

extension StoreError: CuredError {}
extension WebServerError: CuredError {}
