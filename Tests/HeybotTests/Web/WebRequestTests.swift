import Heybot
import HeybotSupport
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct WebRequestTests {
    private struct Point: Codable, Equatable {
        let x: Int
        let names: [String]
    }

    private let robot = TestRobot(
        InlineScript {
            $0.post("/json") { request in
                let point = try request.json(Point.self)
                return .text("\(point.x) \(point.names)")
            }
            $0.post("/form") { request in .text(try request.form()["text"] ?? "nothing") }
            $0.get("/query") { request in
                .text(
                    "\(request.query["a"] ?? "") \(request.query.values(of: "b")) \(request.path) \(request.client ?? "")"
                )
            }
            $0.post("/text") { .text($0.text) }
            $0.post("/signed") { request in
                try request.verify(.signature("secret"))
                return .text("proven")
            }
            $0.post("/token") { request in
                try request.verify(.token("secret"))
                return .text("proven")
            }
            $0.post("/gitlab") { request in
                try request.verify(.token("secret", header: "X-Gitlab-Token"))
                return .text("proven")
            }
            $0.post("/open") { request in
                try request.verify(.token(""))
                return .text("proven")
            }
        })

    @Test func `JSON is decoded`() async throws {
        let body = try HTTPRequestBody.json(Point(x: 1, names: ["a"]))
        #expect(await robot.receives(.post, "/json", body: body) == .text(#"1 ["a"]"#))
    }

    @Test(arguments: [
        ("{", "it isn't valid JSON"), ("", "it isn't valid JSON"), (#"{"x": 1}"#, "names is missing"),
        (#"{"x": "1", "names": []}"#, "x isn't a number"), (#"{"x": 1, "names": [1]}"#, "names[0] isn't a string"),
        (#"{"x": 1, "names": null}"#, "names is null"), (#"[]"#, "it isn't an object")
    ]) func `errors are described`(_ text: String, _ problem: String) async {
        let answer = await robot.receives(.post, "/json", body: .text(text))
        #expect(answer == .text("The body isn't the expected JSON: \(problem).\n", status: 400))
    }

    @Test func `a form is decoded`() async {
        #expect(await robot.receives(.post, "/form", body: .form(["text": "a b&c=ü"])) == .text("a b&c=ü"))
        #expect(await robot.receives(.post, "/form", body: .text("text=a")).status == 415)
    }

    @Test func `the query is decoded, the path isn't, and the client is known`() async {
        #expect(await robot.receives(.get, "/query?a=1+2&b=%C3%BC&b=&c") == .text(#"1 2 ["ü", ""] /query 127.0.0.1"#))
        #expect(await robot.receives(.get, "/query?a=?&b=%zz") == .text(#"? ["%zz"] /query 127.0.0.1"#))
    }

    @Test func `text is decoded by its charset`() async {
        let body = HTTPRequestBody([0xE4], type: "text/plain; charset=ISO-8859-1")
        #expect(await robot.receives(.post, "/text", body: body) == .text("ä"))
    }

    private func signature(_ text: String, _ secret: String = "secret") -> String {
        CryptographicHash.sha256.authenticationCode(for: Array(text.utf8), key: Array(secret.utf8))
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func signed(_ header: String?) async -> Int {
        await robot.receives(
            .post, "/signed", headers: header.map { ["X-Hub-Signature-256": $0] } ?? [:], body: .text("payload")
        ).status
    }

    @Test func `a body signed with the secret is accepted`() async {
        #expect(await signed("sha256=" + signature("payload")) == 200)
        #expect(await signed("sha256=" + signature("payload").uppercased()) == 200)
    }

    @Test func `any other isn't`() async {
        for header in [
            nil, "", "sha256=", signature("payload"), "sha1=" + signature("payload"),
            "sha256=" + signature("payload2"), "sha256=" + signature("payload", "other"),
            "sha256=" + signature("payload").dropLast(), "sha256=" + signature("payload") + "00",
            "sha256=" + String(repeating: "zz", count: 32), "sha256=" + String(repeating: "+1", count: 32),
            "sha256=" + String(repeating: "é", count: 32)
        ] {
            #expect(await signed(header) == 401, "\(header ?? "none")")
        }
    }

    @Test func `a token is accepted if it is the secret`() async {
        for header in ["Bearer secret", "bearer secret", "secret"] {
            #expect(await robot.receives(.post, "/token", headers: ["Authorization": header]).status == 200)
        }
        for header in ["Bearer", "Bearer ", "Bearer other", "Bearer secret ", "", "SECRET"] {
            #expect(await robot.receives(.post, "/token", headers: ["Authorization": header]).status == 401)
        }
        #expect(await robot.receives(.post, "/token").status == 401)
        #expect(await robot.receives(.post, "/gitlab", headers: ["x-gitlab-token": "secret"]).status == 200)
    }

    @Test func `an empty secret proves nothing`() async {
        #expect(await robot.receives(.post, "/open").status == 401)
        #expect(await robot.receives(.post, "/open", headers: ["Authorization": ""]).status == 401)
    }
}
