import Heybot
import HeybotTesting
import Testing

@Suite struct BuildsTests {
    let robot = TestRobot(settings: ["BUILDS_TOKEN": "secret"], Builds())

    @Test func `a build is announced in the room`() async throws {
        let answer = await robot.receives(
            .post, "/builds/%23dev", headers: ["Authorization": "Bearer secret"],
            body: try .json(["app": "shop", "version": "1.2"]))
        #expect(answer == .text("posted"))
        #expect(robot.said(in: "#dev") == [.text("shop 1.2 is built.")])
    }

    @Test func `requests without the token are refused`() async {
        #expect(await robot.receives(.post, "/builds/%23dev", body: .text("{}")).status == 401)
        #expect(robot.lines == [])
    }
}

extension BuildsTests {
    @Test func `missing values are named`() async throws {
        let answer = await robot.receives(
            .post, "/builds/%23dev", headers: ["Authorization": "Bearer secret"], body: try .json(["app": "shop"]))
        #expect(answer == .text("The body isn't the expected JSON: version is missing.\n", status: 400))
    }
}
