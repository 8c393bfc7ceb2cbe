import FoundationEssentials
import Heybot
import Logging
import Synchronization
import WebServer

/// Everything that can be known of a robot before it goes live, part by part.
struct Checks {
    /// How long it may take at each server.
    private static let limit: Duration = .seconds(30)
    /// The parts that each robot has beside its adapters, in order.
    static let names = ["settings", "scripts", "help", "data", "brain", "robot", "web", "services"]

    let parts: Parts
    let table: CheckTable

    /// Looks at everything, prints each part once it is known, and returns what it came to.
    func run() async throws -> CheckTable {
        var table = table
        let set = parts.read.table.count { parts.read.isSet($0.name) }
        let file = parts.settings.config.map { "\($0), " } ?? ""
        try table.write("settings", [CheckStep("", .passed("\(file)\(set) set"))])
        let robot = parts.robot(logger: Logger(label: "heybot"))
        try table.write("scripts", steps { try parts.checkScripts(of: robot) })
        try table.write("help", steps { try parts.checkHelp(of: robot) })
        let data = parts.data.check()
        try table.write("data", [CheckStep(parts.data.path, data)])
        try table.write("brain", await brain(of: robot, data))
        let live = HealthSocket.ask(in: parts.data)
        try table.write(
            "robot", live.isEmpty ? [CheckStep("", .passed("none runs with this data"))] : live.map(Self.step))
        try table.write("web", await web(of: robot, live))
        // All at once: each waits for servers.
        let checks = robot.adapters.map { adapter in (adapter.name, Task { await Self.steps(of: adapter) }) }
        for (name, check) in checks { try table.write(name, await check.value) }
        try table.write("services", services(of: robot))
        return table
    }

    private func steps(_ check: () throws -> String) -> [CheckStep] {
        do { return [CheckStep("", .passed(try check()))] } catch { return Self.failures(error) }
    }

    /// A step for each line of an error.
    static func failures(_ error: any Error, of subject: String = "", setting: String? = nil) -> [CheckStep] {
        Failure(error).lines.map { CheckStep(subject, .failed($0, setting: setting)) }
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
            if let error = error as? StoreError, error.code == .failed, let file = parts.brainFile {
                // Whatever SQLite has come upon, it is none of what has a cure of its own.
                return [CheckStep(file, .failed("\(error)", cure: "see whether its disk is well, or set HEYBOT_DATA"))]
            }
            let setting = parts.brainFile == nil ? "HEYBOT_REDIS_URL" : "HEYBOT_DATA"
            return Self.failures(error, of: parts.brainPlace, setting: setting)
        }
    }

    private static func step(_ answer: HealthSocket.Answer) -> CheckStep {
        switch answer {
        case .health: CheckStep("", .passed("one runs with this data, and was left alone"))
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
            if !live.isEmpty, await isLive(at: server.configuration, live) {
                return [CheckStep(place, .passed("the robot that runs with this data has it"))]
            }
            return Self.failures(error, of: place)
        }
    }

    /// Whether one of those robots answers there: then it says the same of its adapters.
    private func isLive(at server: HummingbirdServer.Configuration, _ live: [HealthSocket.Answer]) async -> Bool {
        let hosts = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        let host = hosts[server.address] ?? server.address
        let web = parts.settings.web
        var request = HTTPRequest(
            .get, "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)/healthz",
            auth: web.user.map { .basic(user: $0, password: web.password ?? "") })
        request.deadline = .seconds(5)
        guard let answer = try? await parts.http.send(request),
            let found = try? JSONDecoder().decode(Health.self, from: Data(answer.body))
        else { return false }
        return live.contains { if case .health(let health) = $0 { health.adapters == found.adapters } else { false } }
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

    /// The keys and places of services that aren't set, with what people say to the scripts that ask for them.
    private func services(of robot: Robot) -> [CheckStep] {
        parts.scripts.filter { !robot.switches.off.contains($0.name) }.compactMap { script in
            let missing = script.settings.filter { $0.isOfService && parts.settings.scripts[$0.name] == nil }
            if missing.isEmpty { return nil }
            let commands = robot.listeners.filter { $0.script == script.name }.flatMap(\.help).map(\.usage)
            return CheckStep(
                script.name,
                .skipped(
                    "not set: \(missing.map { "HEYBOT_\($0.name)" }.joined(separator: ", "))"
                        + (commands.isEmpty ? "" : "; see \(commands.prefix(2).joined(separator: ", "))")))
        }
    }
}

extension AnyScriptSetting {
    /// Whether it is a key, or where something is, and nothing stands in for it.
    fileprivate var isOfService: Bool {
        let isPlace = takes("https://example.org") && !takes("example")
        return fallback == nil && (isSecret || isPlace)
    }
}
