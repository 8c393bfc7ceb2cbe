import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct RouteTests {
    private let robot = TestRobot(
        InlineScript("Web") {
            $0.get("/") { _ in .text("home") }
            $0.get("/rooms/here") { _ in .text("here") }
            $0.get("/rooms/:room") { .text("room \($0.parameters.room)") }
            $0.post("/rooms/:room/:what") { request in
                try await request.robot.messageRoom(request.parameters["room"], request.text)
                return .text("\(request.parameters.what) said", status: 201)
            }
            $0.delete("/rooms/:room") { _ in .empty }
            $0.put("/rooms/:room") { _ in throw WebRefusal(409, "It is there already.") }
            $0.patch("/rooms/:room") { _ in throw Refusal("No such room.") }
        })

    @Test func `a route answers its method and path, parameters decoded`() async {
        #expect(await robot.receives(.get, "/") == .text("home"))
        #expect(await robot.receives(.get, "/rooms/%23dev") == .text("room #dev"))
        #expect(await robot.receives(.get, "/rooms/a%2Fb") == .text("room a/b"))
        #expect(await robot.receives(.get, "/rooms/dev/") == .text("room dev"))
        #expect(await robot.receives(.delete, "/rooms/dev") == .empty)
    }

    @Test func `the first that matches answers`() async {
        #expect(await robot.receives(.get, "/rooms/here") == .text("here"))
    }

    @Test func `a route may speak`() async {
        let answer = await robot.receives(.post, "/rooms/%23dev/words", body: .text("hello"))
        #expect(answer == .text("words said", status: 201))
        #expect(robot.said(in: "#dev") == [.text("hello")])
    }

    @Test func `a missing path gets 404, and another method 405`() async {
        for path in ["/nothing", "/rooms", "/rooms/", "/rooms//", "/rooms/a/b/c", "", "rooms/a", "//rooms/a", "*"] {
            #expect(await robot.receives(.get, path).status == 404, "\(path)")
        }
        let answer = await robot.receives(.post, "/rooms/dev")
        #expect(answer.status == 405)
        #expect(answer.headers["Allow"] == "GET, DELETE, PUT, PATCH, HEAD")
        #expect(
            answer.body == Array("Method not allowed. Allowed methods: GET, DELETE, PUT, PATCH, HEAD.\n".utf8))
        #expect(await robot.receives(.post, "/rooms/here").headers["Allow"] == "GET, DELETE, PUT, PATCH, HEAD")
    }

    @Test func `HEAD is answered as GET is`() async {
        #expect(await robot.receives(.head, "/rooms/dev") == .text("room dev"))
    }

    @Test func `refusals are answered as they say, and are no failures`() async {
        #expect(await robot.receives(.put, "/rooms/dev") == .text("It is there already.\n", status: 409))
        #expect(await robot.receives(.patch, "/rooms/dev") == .text("No such room.\n", status: 422))
        #expect(robot.loggedProblems == [])
        #expect(robot.robot.failures == 0)
    }

    @Test func `a failure is answered in one line, logged and counted`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript("Web") {
                $0.get("/fails") { _ in throw Trouble() }
                $0.get("/away") { _ in throw StoreError(.unavailable, "gone") }
            })
        #expect(await robot.receives(.get, "/fails?secret=x") == .text("Sorry, something went wrong.\n", status: 500))
        #expect(await robot.receives(.get, "/away") == .text("My memory isn't available just now.\n", status: 503))
        #expect(robot.robot.failures == 2)
        #expect(robot.loggedProblems.count == 2)
        #expect(robot.loggedProblems.allSatisfy { $0.contains("script=Web") && $0.contains("route=GET /") })
        #expect(!robot.loggedProblems.joined().contains("secret"))
    }

    @Test func `a route has a deadline`() async {
        let notes = StringRecorder()
        let robot = TestRobot(
            InlineScript("Web") { robot in
                robot.get("/slow", deadline: .seconds(3)) { _ in
                    notes.add("began")
                    try await Task.sleep(for: .seconds(1_000))
                    return .empty
                }
            })
        async let answer = robot.receives(.get, "/slow")
        while notes.all.isEmpty { await Task.yield() }
        _ = await robot.advance(by: .seconds(3))
        #expect(await answer.status == 503)
        #expect(robot.loggedProblems.count == 1)
    }

    @Test func `a body has a limit, the route's or the robot's`() async {
        var limits = Robot.Limits()
        limits.body = 10
        let robot = TestRobot(
            limits: limits,
            InlineScript {
                $0.post("/small") { .text("\($0.body.count)") }
                $0.post("/large", limit: 20) { .text("\($0.body.count)") }
            })
        #expect(await robot.receives(.post, "/small", body: .text("0123456789")) == .text("10"))
        #expect(await robot.receives(.post, "/small", body: .text("0123456789+")).status == 413)
        #expect(await robot.receives(.post, "/large", body: .text("0123456789+")) == .text("11"))
    }

    @Test func `the routes of a script that is off aren't there`() async {
        let robot = TestRobot(
            switches: DisabledScripts(off: ["Web"]), InlineScript("Web") { $0.get("/here") { _ in .empty } })
        #expect(await robot.receives(.get, "/here").status == 404)
    }

    @Test(arguments: [
        ("here", "its path must start with a slash"), ("/:", "a parameter has no name after its colon"),
        ("/:a/:a", "two parameters have the same name"),
        ("/a%20b", "its path must be percent-decoded and have no query")
    ]) func `an invalid path is reported at startup`(_ path: String, _ problem: String) {
        let robot = TestRobot(InlineScript("Web") { $0.get(path) { _ in .empty } })
        #expect(throws: RobotError.misconfigured(["Web has the invalid route GET \(path): \(problem)"])) {
            try robot.robot.check()
        }
    }

    @Test func `two scripts can't have one route`() {
        let robot = TestRobot(
            InlineScript("One") { $0.get("/a/:b") { _ in .empty } },
            InlineScript("Two") {
                $0.get("/a/:c/") { _ in .empty }
                $0.post("/a/:b") { _ in .empty }
            })
        #expect(
            throws: RobotError.misconfigured(["Two and One both define the route GET /a/:c/: change the path of one"])
        ) { try robot.robot.check() }
    }

    @Test func `a robot that is stopping takes no more`() async {
        robot.robot.stop()
        #expect(await robot.receives(.get, "/").status == 503)
    }
}
