import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Whatever the payload, the robot doesn't crash, and rooms aren't flooded.
@Suite struct GitHubFuzzTests {
    @Test func `mutated payloads neither crash the robot nor flood rooms`() async throws {
        let robot = TestRobot(settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        let hook = GitHubHook(robot: robot)
        var mutator = Mutator(seed: 1)
        var counts: [Int: Int] = [:]
        for number in 0..<3_000 {
            let (event, payload) = mutator.pick(Self.events)
            let before = robot.lines.count
            let answer = try await hook.sends(event, bytes: mutator.mutated(payload), delivery: "\(number)")
            counts[answer.status, default: 0] += 1
            #expect([200, 202, 400].contains(answer.status))
            let said = robot.lines.dropFirst(before).map(\.utterance.content)
            #expect(said.count <= 1)
            for text in said {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count <= 2)
                #expect(lines.allSatisfy { $0.count <= 500 && $0.utf8.count <= 2_000 }, "\(event)")
                #expect(!lines.contains { $0.unicodeScalars.contains(where: Self.isHostile) }, "\(event)")
            }
        }
        // Otherwise the test would have tried nothing.
        for status in [200, 202, 400] { #expect(counts[status, default: 0] > 100, "\(counts)") }
        #expect(robot.loggedProblems == [])
        #expect(try await hook.sends("ping", Payload.ping) == .text("pong"))
    }

    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200B, 0x200E, 0x200F, 0xFEFF: true
        default: false
        }
    }

    private static let events: [(String, JSON)] = [
        ("push", Payload.push(["One", "Two", "Three", "Four"])), ("push", Payload.push([], ref: "refs/tags/v1")),
        ("pull_request", Payload.pullRequest("opened")), ("pull_request", Payload.pullRequest("closed")),
        ("issues", Payload.issue("reopened")), ("release", Payload.release("published")), ("ping", Payload.ping)
    ]
}

/// Mutates payloads with seeded randomness.
private struct Mutator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    /// The payload with values changed, and half of the time the bytes of that too.
    mutating func mutated(_ payload: JSON) throws -> [UInt8] {
        var payload = payload
        for _ in 0..<Int.random(in: 0...3, using: &generator) { change(&payload) }
        var bytes = try payload.bytes
        guard Bool.random(using: &generator) else { return bytes }
        for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ value: inout JSON) {
        switch value {
        case .object(var members) where !members.isEmpty && Int.random(in: 0..<10, using: &generator) > 0:
            let key = pick(members.keys.sorted())
            if Int.random(in: 0..<12, using: &generator) == 0 {
                members[key] = nil
            } else if var member = members[key] {
                change(&member)
                members[key] = member
            }
            value = .object(members)
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<4, using: &generator) > 0:
            let index = Int.random(in: elements.indices, using: &generator)
            change(&elements[index])
            value = .array(elements)
        case .text(let text) where Int.random(in: 0..<4, using: &generator) > 0:
            value = .text(pick([text + hostile(), hostile() + text, hostile(), text + text]))
        default:
            value = pick([.null, .bool(true), .number(-1), .number(1e300), .text(hostile()), .array([value]), [:]])
        }
    }

    private mutating func hostile() -> String {
        let piece = pick([
            "\n", "\r\n", "\u{2028}", "\u{0}", "\u{3}4,1", "\u{202e}", "\u{200b}", "e\u{301}", "\u{301}", "👩‍👩‍👧‍👦", "🇩🇪",
            "\u{e0067}", "x", " ", "\"", "\\", "@all", "refs/heads/", "https://", "/", "\u{fffe}", "\u{10ffff}"
        ])
        return String(repeating: piece, count: pick([1, 1, 2, 7, 130, 3_000]))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: index)
        case 3: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...20, using: &generator)))
        default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 40)], at: index)
        }
    }
}
