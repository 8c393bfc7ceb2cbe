import FoundationEssentials
import Heybot
import HeybotSupport
import Logging

extension DeployCoordinator {
    /// Asks the target to deploy.
    ///
    /// The deploy's state is `starting`. This is called once for a deploy, whatever happens.
    func start(
        _ deploy: TrackedDeploy, _ app: DeployApp, _ environment: DeployApp.Environment, _ robot: Robot
    ) async throws {
        switch environment.target {
        case .github(let repository): try await startOnGitHub(deploy, repository, app, environment, robot)
        case .webhook(let url, let secret): try await startByWebhook(deploy, url, secret, robot)
        case .command(let arguments): try await startCommand(deploy, arguments, environment, robot)
        }
    }

    // MARK: GitHub

    private func startOnGitHub(
        _ deploy: TrackedDeploy, _ repository: String, _ app: DeployApp, _ environment: DeployApp.Environment,
        _ robot: Robot
    ) async throws {
        let plan = deploy.plan
        let requiredContexts = plan.isForced ? [] : environment.requiredContexts
        let order = GitHubDeployments.Order(
            ref: plan.ref, task: plan.task, autoMerge: environment.autoMerge && !plan.isForced,
            requiredContexts: requiredContexts, payload: GitHubDeployments.payload(of: deploy, app),
            environment: environment.name,
            description: String(oneLine: "\(plan.task) \(deploy.id) for \(plan.userName) by \(robot.name)", limit: 120),
            isTransient: environment.isTransient, isProduction: environment.isProduction)
        do {
            let client = try github(repository, app, robot)
            if let until = polls.limit(of: client.service, at: robot.date) {
                let reason = "GitHub is limiting my requests until \(until.inUTC) UTC. Ask me again then."
                try await apply(.rejected(reason), to: deploy.id, robot)
                return
            }
            var answer = try await client.create(order, at: robot.date)
            if case .merged(let message) = answer {
                try await apply(.merged(message), to: deploy.id, robot)
                // By GitHub's documentation, this is how to go on.
                answer = try await client.create(order, at: robot.date)
            }
            switch answer {
            case .created(let deployment):
                try await apply(.accepted(remoteID: deployment.id, sha: deployment.sha), to: deploy.id, robot)
            case .merged(let message):
                try await apply(.rejected("GitHub says again: \(message)"), to: deploy.id, robot)
            }
        } catch let error as GitHubError {
            if case .limited(let until) = error.kind { polls.limit(app.api ?? settings.githubService, until: until) }
            let reason = error.reason(requiring: requiredContexts)
            try await apply(error.isUncertain ? .unanswered(reason) : .rejected(reason), to: deploy.id, robot)
        } catch let error as HTTPError {
            let reason = error.userMessage
            try await apply(error.mayHaveArrived ? .unanswered(reason) : .rejected(reason), to: deploy.id, robot)
        } catch let refusal as Refusal {
            try await apply(.rejected(refusal.userMessage), to: deploy.id, robot)
        }
    }

    // MARK: A webhook

    /// What the program behind a webhook gets.
    private struct WebhookOrder: Encodable {
        let app, ref, task, environment, hosts, user: String
        let deploy: Int
        let forced, rollback: Bool
    }

    private func startByWebhook(_ deploy: TrackedDeploy, _ url: String, _ secret: String, _ robot: Robot) async throws {
        let plan = deploy.plan
        let order = WebhookOrder(
            app: plan.app, ref: plan.ref, task: plan.task, environment: plan.environment, hosts: plan.hosts,
            user: plan.userName, deploy: deploy.id.number, forced: plan.isForced, rollback: plan.isRollback)
        let body = try HTTPRequestBody.json(order)
        var request = HTTPRequest(.post, url, body: body)
        request.headers["X-Hub-Signature-256"] = "sha256=\(Self.signature(of: body.bytes, secret))"
        request.deadline = .seconds(20)
        request.limit = 64 << 10
        // A redirect could repeat the request elsewhere.
        request.redirects = 0
        do {
            let response = try await robot.http.send(request)
            if response.isSuccess {
                try await apply(.accepted(remoteID: nil, sha: nil), to: deploy.id, robot)
            } else {
                let reason = "\(request.host) answered with status \(response.status)."
                let isRefused = response.status < 500
                try await apply(isRefused ? .rejected(reason) : .lost(reason), to: deploy.id, robot)
            }
        } catch let error as HTTPError {
            let reason = error.userMessage
            try await apply(
                error.mayHaveArrived ? .lost("\(reason) Look there.") : .rejected(reason), to: deploy.id, robot)
        }
    }

    /// The hexadecimal HMAC-SHA-256 of a body, as GitHub signs its webhooks.
    static func signature(of body: [UInt8], _ secret: String) -> String {
        CryptographicHash.sha256.authenticationCode(for: body, key: Array(secret.utf8))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: A command

    private func startCommand(
        _ deploy: TrackedDeploy, _ arguments: [String], _ environment: DeployApp.Environment, _ robot: Robot
    ) async throws {
        guard settings.allowsCommands else {
            let reason = "I may not run commands: to allow it, set HEYBOT_DEPLOY_COMMANDS to true."
            try await apply(.rejected(reason), to: deploy.id, robot)
            return
        }
        try await beginWork(on: deploy.id, robot)
        do {
            try await apply(.accepted(remoteID: nil, sha: nil), to: deploy.id, robot)
        } catch {
            endWork(on: deploy.id)
            throw error
        }
        let command = DeployCommand(arguments: arguments, deploy, limit: environment.timeout)
        commands.run(command, deploy.id) { [self] outcome in
            defer { endWork(on: deploy.id) }
            do {
                let deploy = try await DeployRecord(brain: robot.brain)
                    .apply(outcome.event, to: deploy.id, at: robot.date)
                // A robot that stops can't tell anybody any more; the next one does.
                if outcome != .cancelled, let deploy {
                    await announcer.announce(deploy.id, DeployRecord(brain: robot.brain), robot)
                }
            } catch {
                robot.logger.error("couldn't record how the command of a deploy ended: \(error)")
            }
        }
    }
}
