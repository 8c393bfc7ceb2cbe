import Foundation
import Heybot
import HeybotTesting
import StandardScripts
import TestServers
import Testing

/// The processor time that a text costs, whatever it contains.
///
/// Each command gets one of the kinds of texts at each position, and all of them with `bin/test --soak`.
@Suite(.serialized) struct CostTests {
    // In separate processes, so that other tests don't affect the measurement.

    @Test(.timeLimit(.minutes(20))) func `no command costs more than 50 ms for 60 KB of anything`() async {
        await #expect(processExitsWith: .success) { try await CostMeter().measure(size: 60_000, everywhere: true) }
    }

    @Test(.timeLimit(.minutes(20))) func `no command costs more than 50 ms for a megabyte of anything`() async {
        await #expect(processExitsWith: .success) { try await CostMeter().measure(size: 1_000_000, everywhere: false) }
    }
}

/// Sends long texts to a robot with all standard scripts.
private struct CostMeter {
    /// In seconds of processor time, of all threads.
    ///
    /// Swift code without optimization takes a few times as long, and more on a machine that is slow or busy. A cost that grows
    /// with the square of the length is several seconds.
    #if DEBUG
        private static let most = 0.050 * 15
    #else
        private static let most = 0.050
    #endif

    private static let nasty: [(name: String, piece: String)] = [
        ("marks", "\u{301}\u{323}"), ("joiners", "\u{200D}\u{FE0F}"), ("letters", "a"), ("spaces", " "),
        ("brackets", "([{"), ("digits", "7"),
        ("emoji", "👩‍👩‍👧‍👦"), ("directions", "\u{202E}\u{2066}"), ("newlines", "\n"), ("quotes", "\"“'"),
        ("mix", "a\u{301} (7) \u{202E}\"is\"\n++ 👩‍👩‍👧‍👦, or @b: in to -- ")
    ]
    private static let settings = [
        "TITLES_ON": "true", "GITHUB_UNFURL": "true", "GITHUB_SECRET": "s", "SEARCH_URL": "https://search.example.org",
        "TRANSLATE_URL": "https://translate.example.org", "INVIDIOUS_URL": "https://video.example.org",
        "MUSTACHIFY_URL": "https://mustache.example.org", "DEPLOY_APPS_JSON": "/nowhere/apps.json"
    ]

    private let adapter = QuietAdapter()
    private let robot: Robot

    init() {
        var limits = Robot.Limits()
        limits.stallThreshold = .seconds(600)
        robot = Robot(
            name: "hubot", alias: "/", adapters: [adapter], brain: Brain(store: MemoryStore()),
            scripts: standardScripts, admins: Set((0..<10_000).map { "cost:\($0)" }), settings: Self.settings,
            http: FailingHTTPClient(), limits: limits)
    }

    /// - Parameter everywhere: Whether the text is inserted at each position of each command, or only at the end.
    func measure(size: Int, everywhere: Bool) async throws {
        async let running: Void = robot.run()
        let inbox = await adapter.inbox
        let places = places(everywhere)
        // The first of each kind includes one-time initialization.
        for (number, place) in places.enumerated() { await inbox?.handle(message(place.with("x"), number)) }
        var costs: [(cost: Double, text: String)] = []
        var number = 1_000
        let share = Soak.rounds(Self.nasty.count, soak: 1)
        for (kind, (name, piece)) in Self.nasty.enumerated() {
            // Begins with a letter, since combining marks need a base.
            let long = "a" + String(repeating: piece, count: size / piece.utf8.count)
            for (index, place) in places.enumerated() where index % share == kind % share {
                number += 1
                let message = message(place.with(long), number)
                let before = Self.processorTime
                await inbox?.handle(message)
                costs.append((Self.processorTime - before, place.with("<\(name)>")))
            }
        }
        robot.stop()
        try await running
        costs.sort { $0.cost > $1.cost }
        for (cost, text) in costs.prefix(20) where cost > Self.most {
            Issue.record("\(Int(cost * 1_000)) ms of processor time for \(size) bytes: \(text)")
        }
        #expect(costs.count >= places.count)
        #expect(places.count > 200)
    }

    /// A place in a command for a text.
    private struct Place {
        let before: String
        let after: String

        init(_ before: String, _ after: String = "") { (self.before, self.after) = (before, after) }

        func with(_ text: String) -> String { before + text + after }
    }

    /// The places in every command of every script, and the text alone.
    private func places(_ everywhere: Bool) -> [Place] {
        var places = [Place(""), Place("hubot "), Place("hubot: a")]
        for listener in robot.listeners {
            let name = listener.trigger == .respond ? "hubot " : ""
            let examples = listener.example.map { [$0] } ?? []
            for usage in listener.help.map(\.usage) + examples {
                for argument in everywhere ? usage.ranges(of: /<[^>]+>/) : [] {
                    let before = usage[..<argument.lowerBound].replacing(/<[^>]+>/, with: "ada")
                    let after = usage[argument.upperBound...].replacing(/<[^>]+>/, with: "ada")
                    places.append(Place(name + String(before), String(after)))
                }
                // After the command's own words, after the whole command, and before it.
                places.append(Place(name + String(usage.prefix { $0 != "<" })))
                if everywhere || usage == listener.example { places.append(Place("\(name)\(usage) ")) }
                if listener.trigger != .respond { places.append(Place("", usage)) }
            }
        }
        return places
    }

    private func message(_ text: String, _ number: Int) -> Message {
        // A new user in a new room each time, so that cooldowns don't apply.
        Message(
            id: Message.ID(adapter: "cost", value: "\(number)"),
            user: User(id: User.ID(adapter: "cost", value: "\(number)"), name: "user\(number)"),
            room: Room(id: Room.ID(adapter: "cost", value: "#\(number)")), content: .text(text), time: robot.date)
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// An adapter that gives its inbox to the test, and drops answers.
private final class QuietAdapter: Adapter {
    let name = "cost"
    private let (stream, continuation) = AsyncStream<Inbox>.makeStream()

    var status: AdapterStatus { .up(since: .distantPast) }

    /// The inbox, as soon as the robot runs.
    var inbox: Inbox? {
        get async { await stream.first { _ in true } }
    }

    func run(_ inbox: Inbox) async throws {
        continuation.yield(inbox)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
}

/// An HTTP client whose requests all fail.
private struct FailingHTTPClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        throw HTTPError(.unreachable, host: request.host)
    }
}
