import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct DeployTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        let settings = ["DEPLOY_URL": "https://builds.example.org", "DEPLOY_TOKEN": "t0ken"]
        robot = TestRobot(name: "hubot", admins: ["root"], settings: settings, web: web, Deploy(), Roles())
    }

    @Test func `a deployer's deployment is stored`() async throws {
        #expect(await robot.hears("hubot deploy shop", from: "ada") == [.reply("You need the deployer role.")])
        _ = await robot.hears("hubot ada has deployer role", from: "root")

        web.answer(
            .post, "https://builds.example.org/deploys", .json(#"{"url": "https://builds.example.org/7"}"#, status: 201)
        )
        let answer = "shop is on its way to production: https://builds.example.org/7"
        #expect(await robot.hears("hubot deploy shop to production", from: "ada") == [.text(answer)])
        let request = try #require(web.requests.last)
        #expect(request.headers["Authorization"] == "Bearer t0ken")
        #expect(await robot.hears("hubot last deploy of shop") == [.text("ada did.")])
        #expect(await robot.hears("hubot last deploy of blog") == [.text("Nobody.")])
    }

    @Test func `an unreachable build server is reported, and the examples work`() async {
        _ = await robot.hears("hubot deploy shop", from: "ada")
        _ = await robot.hears("hubot ada has deployer role", from: "root")
        web.answer(.post, "https://builds.example.org/deploys", .text("", status: 503))
        #expect(
            await robot.hears("hubot deploy shop", from: "ada")
                == [.reply("I can't get an answer from builds.example.org just now.")])
        #expect(await robot.hears("hubot last deploy of shop") == [.text("Nobody.")])
        #expect(robot.brokenExamples() == [])
    }
}
