import FoundationEssentials
import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// A store whose calls all fail.
private struct UnavailableStore: Store {
    private let trouble = StoreError(.unavailable, "the store is away")

    func open() async throws {}
    func close() async {}
    func value(for key: StoreKey) async throws -> [UInt8]? { throw trouble }
    func set(_ value: [UInt8]?, for key: StoreKey) async throws { throw trouble }
    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        throw trouble
    }
    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage { throw trouble }
    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        throw trouble
    }
}

@Suite(.timeLimit(.minutes(15))) struct WebTests {
    private let robot = TestRobot(
        name: "marvin", switches: DisabledScripts(off: ["Rules"]), Diagnostics(), Help(), HTTPD(), PlusPlus(), Rules())

    private func text(_ path: String) async -> String {
        String(decoding: await robot.receives(.get, path).body, as: UTF8.self)
    }

    @Test func `Hubot's routes exist`() async {
        for prefix in ["/heybot", "/hubot"] {
            #expect(await robot.receives(.post, "\(prefix)/ping") == .text("PONG"))
            #expect(await text("\(prefix)/ping") == "PONG")
            #expect(await text("\(prefix)/version") == heybotVersion)
            #expect(await text("\(prefix)/time") == "Server time is: \(robot.robot.date.formatted(.iso8601))")
            #expect(
                await text("\(prefix)/info").hasPrefix(
                    "I'm marvin, running Heybot \(heybotVersion) with 5 scripts and "))
        }
    }

    @Test func `healthz tells that all is well`() async {
        let answer = await robot.receives(.get, "/healthz")
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/json")
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""ok":true"#))
    }

    @Test func `and why it isn't`() async {
        let robot = TestRobot(brain: Brain(store: UnavailableStore()), HTTPD())
        let answer = await robot.receives(.get, "/healthz")
        #expect(answer.status == 503)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("the brain is unavailable: "))
    }

    @Test func `the help page shows enabled commands, and has a content security policy`() async {
        let answer = await robot.receives(.get, "/heybot/help?q=score")
        #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
        let page = String(decoding: answer.body, as: UTF8.self)
        for part in [
            "What <bdi>marvin</bdi> can do", "score <var>&lt;name&gt;</var>", "without the name", "admins only"
        ] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(!page.contains("three laws"))
        let policy = answer.headers["Content-Security-Policy"] ?? ""
        let nonce = policy.firstMatch(of: /style-src 'nonce-([0-9a-f]+)'/)?.1 ?? "none"
        #expect(page.contains("<style nonce=\"\(nonce)\">"))
        #expect(await robot.receives(.get, "/hubot/help").headers["Content-Security-Policy"] != policy)
    }

    @Test func `its routes don't start a web server`() {
        #expect(robot.robot.routes.allSatisfy { !$0.startsServer })
    }
}
