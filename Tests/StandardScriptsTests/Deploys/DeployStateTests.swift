import FoundationEssentials
import Heybot
import Testing

@testable import StandardScripts

/// A deploy as a value.
@Suite struct DeployStateTests {
    private static func deploy(_ target: DeployTarget.Kind = .github) -> TrackedDeploy {
        let plan = DeployPlan(
            app: "shop", ref: "main", task: "deploy", environment: "staging", hosts: "", isForced: false,
            isRollback: false, target: target, repository: "ada/shop",
            user: User(id: User.ID(adapter: "test", value: "ada"), name: "ada"),
            room: Room.ID(adapter: "test", value: "#ops"))
        return TrackedDeploy(
            id: DeployID(app: "shop", number: 7), plan, robot: "hubot", mark: "m", process: "p", at: date(0))
    }

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    private static func report(_ id: Int, _ state: String, _ description: String? = nil) -> DeployEvent {
        .reported(DeployReport(id: id, state: state, description: description))
    }

    @Test func `a deploy is asked for, approved, started, followed and succeeds`() {
        var deploy = Self.deploy()
        func apply(_ event: DeployEvent, _ seconds: Double) -> Bool { deploy.apply(event, at: Self.date(seconds)) }
        let events: [(DeployEvent, TrackedDeploy.State)] = [
            (.confirmed, .asked), (.approved(by: "grace"), .asked), (.started, .starting),
            (.accepted(remoteID: 101, sha: String(repeating: "a", count: 40)), .waiting),
            (Self.report(1, "queued"), .waiting), (Self.report(2, "in_progress", "Building"), .running),
            (Self.report(3, "success"), .succeeded)
        ]
        for (number, (event, state)) in events.enumerated() {
            #expect(apply(event, Double(number) * 60))
            #expect(deploy.state == state)
            let needsProcess = state == .asked || state == .starting
            #expect((deploy.process != nil) == needsProcess)
        }
        #expect(deploy.isOver && deploy.remoteID == 101 && deploy.version == "main (aaaaaaa)")
        #expect(
            deploy.steps.map(\.text) == [
                "ada asked: deploy shop/main to staging", "ada confirmed it", "grace approved it", "started",
                "accepted as deployment 101: main (aaaaaaa)", "queued", "in progress: Building", "success"
            ])
        #expect(
            deploy.unsent == [
                "shop 7: grace has approved it.", "shop 7: deploying main (aaaaaaa) to staging for ada.",
                "shop 7: queued", "shop 7: in progress: Building",
                "shop 7: main (aaaaaaa) is live in staging after 4 min."
            ])
        deploy.removeSent("something else")
        deploy.removeSent("shop 7: grace has approved it.")
        #expect(deploy.unsent.count == 4)
    }

    @Test func `what comes twice, too late or out of order changes nothing`() {
        var deploy = Self.deploy()
        func apply(_ event: DeployEvent, _ seconds: Double) -> Bool { deploy.apply(event, at: Self.date(seconds)) }
        let early: [DeployEvent] = [
            .accepted(remoteID: 1, sha: nil), .rejected("x"), .missing, Self.report(1, "success"), .lost("x"),
            .ended(isSuccess: true, "")
        ]
        for event in early { #expect(!apply(event, 1), "\(event)") }
        #expect(apply(.started, 1))
        #expect(!apply(.started, 1))
        #expect(apply(.accepted(remoteID: 1, sha: nil), 1))
        #expect(!apply(.accepted(remoteID: 2, sha: nil), 1))
        #expect(apply(Self.report(5, "in_progress"), 1))
        #expect(!apply(Self.report(6, "in_progress"), 1))
        #expect(!apply(Self.report(4, "failure"), 1))
        #expect(!apply(Self.report(7, "pending"), 1))
        #expect(apply(Self.report(8, "failure", "No\u{7} disk"), 1))
        let over = deploy
        for event in early + [.started, .declined("x"), .interrupted, Self.report(9, "in_progress")] {
            #expect(!apply(event, 2), "\(event)")
        }
        #expect(deploy == over && over.remoteID == 1)
        #expect(over.unsent.last == "shop 7: deploying main to staging failed: No disk.")
    }

    @Test func `news about an unknown deploy still count`() {
        var deploy = Self.deploy()
        func apply(_ event: DeployEvent, _ seconds: Double) -> Bool { deploy.apply(event, at: Self.date(seconds)) }
        deploy.apply(.started, at: Self.date(0))
        deploy.apply(.unanswered("GitHub took too long."), at: Self.date(0))
        #expect(deploy.state == .starting && deploy.process == nil)
        deploy.apply(.lost("Nothing was reported for 30 min."), at: Self.date(1))
        #expect(deploy.state == .unknown && deploy.isOver)
        #expect(apply(Self.report(1, "success"), 2))
        #expect(deploy.state == .succeeded)
    }

    @Test func `what is live is what succeeded last, whatever was asked for first`() {
        var state = DeployEnvironmentState()
        func succeed(_ number: Int, _ seconds: Double) {
            let plan = Self.deploy().plan
            var deploy = TrackedDeploy(
                id: DeployID(app: "shop", number: number), plan, robot: "hubot", mark: "m", process: "p",
                at: Self.date(0))
            deploy.apply(.started, at: Self.date(0))
            deploy.apply(.accepted(remoteID: number, sha: nil), at: Self.date(0))
            deploy.apply(Self.report(1, "success"), at: Self.date(seconds))
            state.settle(deploy)
        }
        succeed(8, 10)
        // It waited for its approval meanwhile.
        succeed(7, 20)
        #expect(state.live["shop"]?.id.number == 7)
        succeed(8, 10)
        #expect(state.live["shop"]?.id.number == 7)
    }

    @Test func `an app that no robot deploys any more can be deployed by another after ten minutes`() throws {
        let refusal = Refusal(
            "shop is being deployed to staging already: see \"deploy status\" for shop 1.")
        var state = DeployEnvironmentState()
        let (first, second) = (DeployID(app: "shop", number: 1), DeployID(app: "shop", number: 2))
        try state.add(first, to: "staging", at: Self.date(0))
        try state.claim(first, in: "staging", at: Self.date(0))
        #expect(throws: refusal) { try state.check("shop", "staging", at: Self.date(600)) }
        state.renew(first, at: Self.date(600))
        #expect(throws: refusal) { try state.check("shop", "staging", at: Self.date(1_200)) }
        try state.check("wiki", "staging", at: Self.date(600))
        try state.claim(second, in: "staging", at: Self.date(1_201))
        // The first one doesn't count any more, also if its robot comes back.
        state.renew(first, at: Self.date(1_202))
        #expect(state.open.filter(\.isRunning).map(\.id) == [second])
        #expect(state.open.map(\.id) == [first, second])
    }

    @Test func `news that change nothing are news nevertheless`() {
        var deploy = Self.deploy()
        deploy.apply(.started, at: Self.date(0))
        deploy.apply(.accepted(remoteID: 1, sha: nil), at: Self.date(0))
        deploy.apply(Self.report(1, "in_progress"), at: Self.date(0))
        deploy.apply(Self.report(2, "in_progress"), at: Self.date(9))
        #expect(deploy.changed == Self.date(9))
    }

    @Test func `a command runs in its process until it ends`() {
        var deploy = Self.deploy(.command)
        deploy.apply(.started, at: Self.date(0))
        deploy.apply(.accepted(remoteID: nil, sha: nil), at: Self.date(0))
        #expect(deploy.state == .running && deploy.process == "p")
        deploy.apply(.ended(isSuccess: false, "status 2\nno disk"), at: Self.date(0))
        #expect(deploy.state == .failed && deploy.process == nil)
        #expect(deploy.unsent.last == "shop 7: deploying main to staging failed: status 2\nno disk")
        #expect(deploy.steps.last?.text == "failed: status 2 no disk")
    }

    @Test func `steps and unsent lines are bounded, and the end is always recorded`() {
        var deploy = Self.deploy()
        deploy.apply(.started, at: Self.date(0))
        deploy.apply(.accepted(remoteID: 1, sha: nil), at: Self.date(0))
        for number in 1...10_000 { deploy.apply(Self.report(number, "in_progress", "\(number)"), at: Self.date(0)) }
        #expect(deploy.steps.count == TrackedDeploy.mostSteps && deploy.unsent.count == 20)
        deploy.apply(Self.report(10_001, "success"), at: Self.date(0))
        #expect(deploy.steps.count == TrackedDeploy.mostSteps + 1 && deploy.steps.last?.text == "success")
        #expect(deploy.unsent.last == "shop 7: main is live in staging.")
    }

    @Test(arguments: [
        ("https://x.example.org/1", " https://x.example.org/1"), ("javascript:alert(1)", ""), ("", ""),
        ("https://x.example.org/\u{202e}", "")
    ])
    func `only links that can be shown are said`(_ url: String, _ link: String) {
        #expect(DeployReport(state: "in_progress", logURL: url).link == link)
    }

    @Test(
        arguments: [
            (0, "just now"), (59, "just now"), (60, "1 min ago"), (7_200, "2 h ago"), (864_000, "10 days ago")
        ] as [(Double, String)])
    func `ages are short`(_ seconds: Double, _ text: String) {
        #expect(Self.date(0).ago(at: Self.date(seconds)) == text)
        #expect(Self.date(seconds).ago(at: Self.date(0)) == "just now")
    }
}
