import FoundationEssentials
import Heybot
import HeybotTesting
import Synchronization
import Testing

@testable import CampfireAdapter

/// What is posted, how, and in which order.
@Suite(.timeLimit(.minutes(15))) struct SendingTests {
    private let mute = InlineScript { _ in }

    private func envelope(_ room: String = "1", message: String? = nil, isPrivate: Bool = false) -> Envelope {
        Envelope(
            room: Room(id: Room.ID(adapter: "campfire", value: room), isPrivate: isPrivate),
            user: User(id: User.ID(adapter: "campfire", value: "1"), name: "Ada"),
            message: message.map { Message.ID(adapter: "campfire", value: $0) })
    }

    @Test func `each kind of utterance is displayed correctly`() async throws {
        try await CampfireHarness.run(mute) { bench in
            try await bench.adapter.deliver(.text("text"), to: envelope())
            try await bench.adapter.deliver(.reply("reply"), to: envelope())
            try await bench.adapter.deliver(.reply("reply"), to: envelope(isPrivate: true))
            try await bench.adapter.deliver(.emote("dances"), to: envelope())
            #expect(bench.shown == ["text", "Ada: reply", "reply", "* Marvin dances *"])
            #expect(bench.adapter.text(playing: "trombone") == "/play trombone")
        }
    }

    @Test func `text is displayed as written, as a response or posted`() async throws {
        let text = "a < b && c > d\n<b>bold</b> &amp; <script>x</script>\r\n<\u{301} &\u{301} end"
        let script = InlineScript { $0.respond(/say/) { try await $0.send(text) } }
        try await CampfireHarness.run(script) { bench in
            await bench.mention("say")
            await bench.time.pass(.milliseconds(250))
            try await bench.adapter.deliver(.text(text), to: envelope())
            #expect(bench.ways == [.answer, .post])
            #expect(Set(bench.shown) == ["a < b && c > d\n<b>bold</b> &amp; <script>x</script>\n<\u{301} &\u{301} end"])
            for request in bench.campfire.state.value.requests {
                #expect(
                    request.body?.bytes.split(separator: UInt8(ascii: "<")).dropFirst().allSatisfy {
                        $0.starts(with: "br>".utf8)
                    } == true)
            }
        }
    }

    @Test func `plain text is sent as plain text`() async throws {
        try await CampfireHarness.run(mute) { bench in
            try await bench.adapter.deliver(.text("Grüße, 5 \"things\" 👋"), to: envelope())
            let request = try #require(bench.campfire.state.value.requests.first)
            #expect(request.body == .text("Grüße, 5 \"things\" 👋"))
            #expect(request.url == "\(FakeCampfire.url)/rooms/1/\(FakeCampfire.key)/messages")
            #expect(request.redirects == 0)
            #expect(request.deadline == .seconds(20))
        }
    }

    @Test(arguments: ["", " ", "\n\t \u{3000}"])
    func `blank text isn't sent`(_ text: String) async throws {
        try await CampfireHarness.run(mute) { bench in
            for utterance in [Utterance.text(text), .reply(text), .emote(text)] {
                try await bench.adapter.deliver(utterance, to: envelope())
            }
            #expect(bench.campfire.state.value.requests.isEmpty)
        }
    }

    @Test(arguments: ["lunch", ""])
    func `setting a topic fails with a message`(_ topic: String) async throws {
        let script = InlineScript { $0.respond(/topic/) { try await $0.topic(topic) } }
        try await CampfireHarness.run(script) { bench in
            await bench.mention("topic")
            #expect(bench.shown == ["Ada: Topics can't be set on Campfire."])
            #expect(bench.log.lines(from: .error) == [])
        }
    }

    @Test func `a file is posted, even as the first answer, and the order is kept`() async throws {
        let file = Attachment(name: "chart.png", type: "image/png", bytes: Array(0...255))
        let script = InlineScript { robot in
            robot.respond(/chart/) { res in
                try await res.send(file)
                try await res.send("There.")
            }
        }
        try await CampfireHarness.run(script) { bench in
            #expect(await bench.mention("chart") == .empty)
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["chart.png (image/png)", "There."])
            #expect(bench.campfire.state.value.files.map(\.bytes) == [Array(0...255)])
        }
    }

    @Test(arguments: [
        ("a\"b.txt", "text/plain", "a%22b.txt", "text/plain"),
        ("a\r\nX-Evil: 1\r\n\r\n.txt", "text/plain\r\nX-Evil: 1", "aX-Evil: 1.txt", "application/octet-stream"),
        (
            "a\"\u{301}; x=\"\\\u{301}b", "text/plain\u{301}", "a%22\u{301}; x=%22%5C\u{301}b",
            "application/octet-stream"
        ),
        ("50%41\\.txt", "text", "50%2541%5C.txt", "application/octet-stream"),
        ("Übersicht 👋.csv", "text/csv", "Übersicht 👋.csv", "text/csv"),
        ("a.txt", "text/plain; charset=utf-8", "a.txt", "text/plain"),
        ("\u{0}", "a/b/c", "file", "application/octet-stream"),
        ("", "", "file", "application/octet-stream")
    ])
    func `a file's name and type can't inject a header`(
        name: String, type: String, sentName: String, sentType: String
    ) async throws {
        try await CampfireHarness.run(mute) { bench in
            let file = Attachment(name: name, type: type, bytes: Array("\r\n--heybot\r\n".utf8))
            try await bench.adapter.deliver(.attachment(file), to: envelope())
            #expect(bench.shown == ["\(sentName) (\(sentType))"])
            #expect(bench.campfire.state.value.files.map(\.bytes) == [file.bytes])
        }
    }

    @Test func `a boundary that occurs in the file isn't used`() {
        /// Returns a boundary that occurs in the file before one that doesn't.
        struct Fixed: RandomNumberGenerator {
            var numbers: [UInt64] = [0xAB, 0xCD, 0xEF]
            mutating func next() -> UInt64 { numbers.isEmpty ? 0 : numbers.removeFirst() }
        }
        var generator = Fixed()
        let file = Attachment(name: "heybot-ab", type: "a/b", bytes: Array("--heybot-cd--".utf8))
        let body = MultipartForm.body(of: file, using: &generator)
        #expect(body.type == "multipart/form-data; boundary=heybot-ef")
    }

    @Test func `a room's utterances are in the order of the calls, and rooms don't wait for each other`() async throws {
        try await CampfireHarness.run(mute) { bench in
            let gate = ObservedValue(false)
            bench.campfire.next(.held(gate))
            let first = Task { try await bench.adapter.deliver(.text("first"), to: envelope()) }
            await bench.campfire.waitForRequests(1)
            let second = Task { try await bench.adapter.deliver(.text("second"), to: envelope()) }
            try await bench.adapter.deliver(.text("elsewhere"), to: envelope("2"))
            #expect(bench.campfire.arrivals.map(\.shown) == ["elsewhere"])
            gate.change { $0 = true }
            try await first.value
            try await second.value
            #expect(bench.shown == ["first", "second"])
        }
    }

    @Test func `many at once arrive in the order of the calls`() async throws {
        try await CampfireHarness.run(mute) { bench in
            // Each is called before the next, because a call takes its ticket before it waits.
            let gate = ObservedValue(false)
            bench.campfire.next(.held(gate))
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<50 {
                let placed = bench.adapter.placed
                tasks.append(Task { try await bench.adapter.deliver(.text("\(number)"), to: envelope()) })
                while bench.adapter.placed == placed { await Task.yield() }
            }
            gate.change { $0 = true }
            for task in tasks { try await task.value }
            #expect(bench.shown == (0..<50).map { "\($0)" })
        }
    }

    @Test func `a cancelled post leaves the queue, and the others keep their order`() async throws {
        try await CampfireHarness.run(mute) { bench in
            let gate = ObservedValue(false)
            bench.campfire.next(.held(gate))
            var tasks: [Task<Void, any Error>] = []
            for text in ["first", "second", "third"] {
                let placed = bench.adapter.placed
                tasks.append(Task { try await bench.adapter.deliver(.text(text), to: envelope()) })
                while bench.adapter.placed == placed { await Task.yield() }
            }
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            #expect(bench.shown == [])
            gate.change { $0 = true }
            try await tasks[0].value
            try await tasks[2].value
            #expect(bench.shown == ["first", "third"])
        }
    }

    @Test func `a post that fails doesn't stop the next`() async throws {
        try await CampfireHarness.run(mute) { bench in
            bench.campfire.next(.status(422))
            await #expect(throws: CampfireError.refused(host: "chat.example.org", status: 422)) {
                try await bench.adapter.deliver(.text("lost"), to: envelope())
            }
            try await bench.adapter.deliver(.text("said"), to: envelope())
            #expect(bench.shown == ["said"])
        }
    }

    @Test(arguments: ["9", "general", "../1", ".", "", "a/b", "1\r\n2"])
    func `an unknown room is an error`(_ room: String) async throws {
        try await CampfireHarness.run(mute) { bench in
            let error = await #expect(throws: CampfireError.unknownRoom(room)) {
                try await bench.adapter.deliver(.text("hi"), to: envelope(room))
            }
            #expect(error?.description.contains("the bot isn't in it") == true)
            #expect(error?.description.contains("\n") == false)
            #expect(bench.campfire.arrivals == [])
            // An invalid id must not become part of a path.
            #expect(bench.campfire.state.value.requests.isEmpty == !["9", "general"].contains(room))
        }
    }
}

extension CampfireAdapter {
    /// The number of queued or active posts.
    fileprivate var placed: Int { queue.withLock { $0.lines.values.reduce(0) { $0 + $1.count } } }
}
