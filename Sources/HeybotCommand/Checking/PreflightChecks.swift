import FoundationEssentials
import Heybot
import Logging
import Synchronization

/// The checks of `heybot check`: everything that can be verified before the robot goes live, part by part.
struct PreflightChecks {
    let assembly: RobotAssembly
    let table: CheckTable

    /// The time limit for each server: at least the deadline of scripts.
    private var limit: Duration { max(.seconds(30), assembly.settings.limits.deadline) }

    /// Runs all checks, prints the rows of each part when they are known, and returns the table with the counts.
    func run() async throws -> CheckTable {
        var table = table
        let set = assembly.resolved.table.count { assembly.resolved.isSet($0.name) }
        let file = assembly.settings.config.map { "\($0), " } ?? ""
        let deprecated = assembly.resolved.deprecations.map {
            PreflightCheckResult("", .warned($0, fix: "use the new name"))
        }
        try table.write(
            .settings, [PreflightCheckResult("", .passed("\(file)\(set) set"))] + deprecated + hubotSettings())
        let robot = assembly.robot(logger: Logger(label: "heybot"))
        try table.write(
            .scripts,
            steps("correct the script, or disable it with HEYBOT_SCRIPTS_OFF") { try assembly.checkScripts(of: robot) })
        try table.write(.scripts, loadedScripts())
        try table.write(.help, steps("correct the example, or the script") { try assembly.checkHelp(of: robot) })
        let data = assembly.data.check()
        try table.write(.data, [PreflightCheckResult(assembly.data.path, data)])
        let (brainResults, isBrainOpen) = await brain(of: robot, data)
        try table.write(.brain, brainResults)
        // Disabled scripts are stored in the brain, so this follows it.
        try table.write(.scripts, assembly.checkCrashes(of: robot))
        let live = HealthSocket.query(in: assembly.data)
        try table.write(
            .robot,
            live.isEmpty
                ? [PreflightCheckResult("", .passed("no robot is running with this data"))] : live.map(Self.step))
        try table.write(.web, await web(of: robot, live))
        // In parallel: each adapter waits for servers. They read the brain, which knows the servers that demand TLS.
        let limit = limit
        let checks = robot.adapters.map { adapter in
            (adapter.name, Task { await Self.steps(of: adapter, within: limit) })
        }
        for (name, check) in checks { try table.write(name, await check.value) }
        if isBrainOpen { await robot.brain.close() }
        try table.write(.services, await services(of: robot))
        return table
    }

    /// Runs a check and returns its result, or one for each line of its error.
    ///
    /// - Parameter fix: The fix for each line of an error.
    private func steps(_ fix: String, _ check: () throws -> String) -> [PreflightCheckResult] {
        do {
            return [PreflightCheckResult("", .passed(try check()))]
        } catch {
            return ExitError(error).lines.map { PreflightCheckResult("", .failed($0, fix: fix)) }
        }
    }

    /// The scripts that were loaded, if any.
    private func loadedScripts() -> [PreflightCheckResult] {
        let names = assembly.loaded.scripts.map(\.name).filter { $0 != "Hubot" }
        let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        return (names.isEmpty ? [] : [PreflightCheckResult("Hubot", .passed("loaded \(some)"))])
            + assembly.loaded.problems.map {
                PreflightCheckResult("Hubot", .warned($0, fix: "see the guide \"Running Hubot scripts\""))
            } + assembly.loaded.needs.flatMap { results(of: $0) }
    }

    /// The environment variables and packages of a script.
    private func results(of needs: RuntimeScriptRequirements) -> [PreflightCheckResult] {
        var results: [PreflightCheckResult] = []
        if !needs.missingPackages.isEmpty {
            let names = needs.missingPackages.joined(separator: " ")
            results.append(
                PreflightCheckResult(
                    needs.script,
                    .warned("it needs packages that aren't installed: \(names)", fix: "run npm install \(names)")))
        }
        if !needs.missingVariables.isEmpty {
            let names = needs.missingVariables.joined(separator: ", ")
            results.append(
                PreflightCheckResult(
                    needs.script,
                    .warned("environment variables aren't set: \(names)", fix: "set those that the script requires")))
        }
        if !needs.withheldVariables.isEmpty {
            let names = needs.withheldVariables.joined(separator: ", ")
            results.append(
                PreflightCheckResult(
                    needs.script,
                    .warned(
                        "it reads \(names), which Hubot scripts don't get, because only the robot needs this secret",
                        fix: "let the script read a variable of another name")))
        }
        let others =
            needs.variables.map { "\($0) (set)" } + needs.optionalVariables.map { "\($0) (not set, optional)" }
        if !others.isEmpty {
            results.append(PreflightCheckResult(needs.script, .passed("reads \(others.joined(separator: ", "))")))
        }
        return results
    }

    /// The `HUBOT_` variables in the environment that aren't used.
    private func hubotSettings() -> [PreflightCheckResult] {
        let unknown = assembly.resolved.unknownHubotVariables
        return unknown.compactMap { name in
            guard assembly.resolved.table.contains(where: { $0.hubotVariable == name }) else { return nil }
            let own = name.replacing("HUBOT_", with: "HEYBOT_")
            return PreflightCheckResult(
                name,
                .warned(
                    "ignored: with this token, everyone in chat could read what the token gives access to",
                    fix: "set \(own) to allow that"))
        }
            + (unknown.isEmpty
                ? []
                : [
                    PreflightCheckResult(
                        "HUBOT_…",
                        .skipped(
                            "\(unknown.count) ignored, because they belong to Hubot's scripts; \"heybot settings\" lists them"
                        ))
                ])
    }

    // MARK: The brain, and running robots

    /// Checks the brain.
    ///
    /// - Returns: The results, and whether the brain is open now.
    private func brain(
        of robot: Robot, _ data: PreflightCheckResult.Outcome
    ) async -> (results: [PreflightCheckResult], isOpen: Bool) {
        if case .failed = data, assembly.brainFile != nil {
            let outcome = PreflightCheckResult.Outcome.skipped("the data directory must be usable first")
            return ([PreflightCheckResult(assembly.brainPlace, outcome)], false)
        }
        if let file = assembly.brainFile, assembly.data.isForeign, !FileManager.default.fileExists(atPath: file) {
            let outcome = PreflightCheckResult.Outcome.skipped(
                "not created: it would belong to root, and the robot couldn't write to it")
            return ([PreflightCheckResult(file, outcome)], false)
        }
        do {
            try await assembly.openCheckedBrain(of: robot)
            return ([PreflightCheckResult(assembly.brainPlace, .passed("opened, written and read back"))], true)
        } catch {
            return ([PreflightCheckResult(assembly.brainPlace, failure(error))], false)
        }
    }

    /// The reason why the brain can't be used.
    private func failure(_ error: any Error) -> PreflightCheckResult.Outcome {
        let remote = assembly.store() as? any RemoteStore
        let setting = remote?.setting(toCheckAfter: error) ?? "HEYBOT_DATA"
        if let error = error as? StoreError, error.fix != nil { return .failed(error, setting: setting) }
        // SQLite reported something for which the store has no fix of its own.
        return .failed(
            "\(error)", fix: remote == nil ? "check the brain's disk, or set \(setting)" : "check \(setting)")
    }

    private static func step(_ result: HealthSocket.QueryResult) -> PreflightCheckResult {
        switch result {
        case .report:
            PreflightCheckResult("", .passed("a robot is running with this data; the check didn't disturb it"))
        case .problem(let problem): PreflightCheckResult("", .warned(problem, fix: "run heybot health"))
        }
    }

    // MARK: The web

    private func web(of robot: Robot, _ live: [HealthSocket.QueryResult]) async -> [PreflightCheckResult] {
        guard let server = assembly.webServer() else { return [PreflightCheckResult("", .skipped("disabled"))] }
        guard robot.needsServer else {
            return [PreflightCheckResult("", .skipped("no script defines a route, and HEYBOT_PORT isn't set"))]
        }
        do {
            try await server.check()
            return [PreflightCheckResult(server.place, .passed("the port is free"))]
        } catch {
            if live.contains(where: { $0.report?.webPort == server.port }) {
                return [PreflightCheckResult(server.place, .passed("in use by the robot that runs with this data"))]
            }
            let (reason, fix) = (error as? any ErrorWithFix).map { ($0.reason, $0.fix) } ?? ("\(error)", nil)
            return [
                PreflightCheckResult(
                    server.place, .failed(reason, fix: fix ?? "check HEYBOT_PORT and HEYBOT_BIND_ADDRESS"))
            ]
        }
    }

    // MARK: Adapters

    private static func steps(of adapter: any Adapter, within limit: Duration) async -> [PreflightCheckResult] {
        guard let adapter = adapter as? any PreflightCheckable else {
            return [PreflightCheckResult("", .skipped("there is nothing to check"))]
        }
        let steps = Mutex<[PreflightCheckResult]>([])
        await adapter.check(within: limit) { step in steps.withLock { $0.append(step) } }
        return steps.withLock { $0 }
    }

    // MARK: Services

    /// Checks the services that scripts use.
    private func services(of robot: Robot) async -> [PreflightCheckResult] {
        let scripts = assembly.scripts.filter { !robot.switches.off.contains($0.name) }
        var seen: Set<String> = []
        let probes = scripts.flatMap { script in
            script.settings.filter { seen.insert($0.name).inserted }.map { setting in
                Task { await step(of: setting, of: script) }
            }
        }
        var steps: [PreflightCheckResult] = []
        for probe in probes { if let step = await probe.value { steps.append(step) } }
        return steps + Self.unset(scripts, in: robot)
    }

    /// The scripts whose commands need a setting that isn't set, in one row; none if there are none.
    private static func unset(_ scripts: [any Script], in robot: Robot) -> [PreflightCheckResult] {
        let lacking = scripts.compactMap { script in
            robot.missingSettings(of: script.name).map { "\(script.name) (needs \($0))" }
        }
        if lacking.isEmpty { return [] }
        return [PreflightCheckResult("", .skipped("not set up: \(lacking.joined(separator: ", "))"))]
    }

    /// Checks that a service answers; nil if the setting isn't a service's URL or isn't set.
    private func step(of setting: any AnyScriptSetting, of script: any Script) async -> PreflightCheckResult? {
        guard let probe = setting.probe, let place = assembly.settings.scripts[setting.name], setting.accepts(place)
        else {
            return nil
        }
        var base = place[...]
        while base.last == "/" { base.removeLast() }
        var request = HTTPRequest(.get, "\(base)\(probe)")
        request.deadline = limit / 3
        let fix = "check HEYBOT_\(setting.name): \(setting.meaning)"
        do {
            let status = try await assembly.http.send(request).status
            // Without a probe's path the base URL may well be a 404.
            guard status < (probe.isEmpty ? 500 : 400) else { throw HTTPError(.status(status), host: request.host) }
            return PreflightCheckResult(script.name, .passed("\(request.host) answers"))
        } catch let error as HTTPError where error.code == .tooLong && probe.isEmpty {
            return PreflightCheckResult(script.name, .passed("\(request.host) answers"))
        } catch {
            return PreflightCheckResult(script.name, .warned("\(error)", fix: fix))
        }
    }
}

/// The parts to check besides the adapters, in the order of the table.
enum CheckPart: String, CaseIterable {
    case settings, scripts, help, data, brain, robot, web, services
}

/// An error with a reason and, separately, a fix.
protocol ErrorWithFix: Error {
    var reason: String { get }
    /// What to do about it; nil if that is unknown.
    var fix: String? { get }
}

extension StoreError: ErrorWithFix {}
