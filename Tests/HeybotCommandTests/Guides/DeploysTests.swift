import Heybot
import HeybotTesting
import Testing

@Suite struct DeploysTests {
    let robot = TestRobot(settings: ["DEPLOYS_TOKEN": "secret"], Deploys())

    @Test func `a room is told what was deployed`() async throws {
        let answer = await robot.receives(
            .post, "/deploys/%23dev", headers: ["Authorization": "Bearer secret"],
            body: try .json(["app": "shop", "version": "1.2"]))
        #expect(answer == .text("said"))
        #expect(robot.said(in: "#dev") == [.text("shop 1.2 is live.")])
    }

    @Test func `nobody else can have it said`() async {
        #expect(await robot.receives(.post, "/deploys/%23dev", body: .text("{}")).status == 401)
        #expect(robot.lines == [])
    }
}

extension DeploysTests {
    @Test func `what is missing is named`() async throws {
        let answer = await robot.receives(
            .post, "/deploys/%23dev", headers: ["Authorization": "Bearer secret"], body: try .json(["app": "shop"]))
        #expect(answer == .text("The body isn't the JSON I expect: version is missing.\n", status: 400))
    }
}
