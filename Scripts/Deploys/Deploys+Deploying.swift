import Heybot

extension Deploys {
    func registerDeploying(_ coordinator: DeployCoordinator, on robot: inout RobotBuilder) {
        robot.respond(
            /deploy(?<task>:[\w.:-]{1,60})?(?<force>!)? (?!status(?: |$))(?<app>[\w.-]{1,80})(?:\/(?<ref>\S{1,200}))?(?: (?:to|in|on) (?<environment>[\w.-]{1,60})(?:\/(?<hosts>\S{1,200}))?)?$/,
            help: """
                deploy <app> - Deploy an app's default branch to the default environment
                deploy <app>/<branch> to <environment> - Deploy a branch, tag or commit of an app
                deploy <app>/<branch> to <environment>/<hosts> - The same, only on some hosts
                deploy! <app>/<branch> to <environment> - The same, although checks haven't passed, and without merging the default branch
                """,
            example: "deploy shop/fix to staging", deadline: .minutes(2)
        ) { res in
            let order = try DeployOrder(
                app: res.match.app, ref: res.match.ref, environment: res.match.environment, hosts: res.match.hosts,
                task: res.match.task, isForced: res.match.force != nil)
            let request = try DeployRequest(order, coordinator, res)
            try await request.perform()
        }

        robot.respond(
            /roll ?back (?<app>[\w.-]{1,80})(?: (?:in|on|to) (?<environment>[\w.-]{1,60}))?$/,
            help: "roll back <app> in <environment> - Deploy again what was live before",
            example: "roll back shop in staging", deadline: .minutes(2)
        ) { res in
            let order = try DeployOrder(app: res.match.app, environment: res.match.environment, isForced: true)
            let request = try DeployRequest(order, coordinator, res)
            try await request.rollBack()
        }
    }
}
