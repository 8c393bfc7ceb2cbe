import Heybot
import HeybotTesting
import Testing

// The listings of the guide to routes, except Builds.

struct Letterbox: Script {
    static let letters = BrainCollection<String>("letterbox.letters")
    let secret: String

    func register(on robot: inout RobotBuilder) {
        let secret = secret

        robot.post("/builds", proof: .signature(secret)) { request in
            .empty
        }

        robot.post("/merges", proof: .token(secret, header: "X-Gitlab-Token")) { request in
            .empty
        }

        robot.put("/letters/:name", limit: 10_000, deadline: .seconds(5)) { request in
            guard !request.text.isEmpty else { throw WebRefusal(400, "Write something.") }
            try await request.brain.remember(Self.letters, request.parameters.name, request.text)
            return .text("kept", status: 201)
        }

        robot.get("/letters/:name") { request in
            guard let letter = try await request.brain.recall(Self.letters, request.parameters.name) else {
                throw WebRefusal(404, "There is no such letter.")
            }
            return request.query["as"] == "json" ? try .json(["letter": letter]) : .text(letter)
        }
    }
}

@Suite struct LetterboxTests {
    let robot = TestRobot(Letterbox(secret: "secret"))

    @Test func `letters are kept`() async {
        #expect(await robot.receives(.get, "/letters/ada") == .text("There is no such letter.\n", status: 404))
        #expect(await robot.receives(.put, "/letters/ada").status == 400)
        #expect(await robot.receives(.put, "/letters/ada", body: .text("Hello!")) == .text("kept", status: 201))
        #expect(await robot.receives(.get, "/letters/ada") == .text("Hello!"))
        let json = await robot.receives(.get, "/letters/ada?as=json")
        #expect(String(decoding: json.body, as: UTF8.self) == #"{"letter":"Hello!"}"#)
        let long = HTTPRequestBody.text(String(repeating: "x", count: 10_001))
        #expect(await robot.receives(.put, "/letters/ada", body: long).status == 413)
    }

    @Test func `unauthenticated requests are refused`() async {
        let body = HTTPRequestBody.text("{}")
        #expect(await robot.receives(.post, "/builds", body: body).status == 401)
        let signed = WebRequest.Proof.signature("secret").headers(for: body)
        #expect(await robot.receives(.post, "/builds", headers: signed, body: body) == .empty)
        #expect(await robot.receives(.post, "/merges", headers: ["Authorization": "secret"]).status == 401)
        #expect(await robot.receives(.post, "/merges", headers: ["X-Gitlab-Token": "secret"]) == .empty)
    }
}
