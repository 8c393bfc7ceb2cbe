import Foundation
import Heybot
import HeybotSupport
import Testing

@testable import GatewayLink

/// The JSON of the link: its names must stay, because a gateway and its workers may be of two versions.
@Suite struct FrameCodingTests {
    private static let user = User(id: .init(adapter: "irc", value: "al"), name: "Al")
    private static let room = Room(id: .init(adapter: "irc", value: "#a"))
    private static let message = Message(
        id: .init(adapter: "irc", value: "1"), user: user, room: room, content: .text("hi"),
        time: Date(timeIntervalSinceReferenceDate: 5))
    private static let envelope = Envelope(room: room, user: user, message: message.id)
    private static let userText = #"{"id":"irc:al","isAnonymous":false,"name":"Al"}"#
    private static let roomText = ##"{"id":"irc:#a","isPrivate":false,"name":"#a"}"##
    private static let envelopeText = #"{"message":"irc:1","room":\#(roomText),"user":\#(userText)}"#
    private static let messageText =
        #"{"content":{"kind":"text","text":"hi"},"id":"irc:1","isAddressed":false,"room":\#(roomText),"time":5,"#
        + #""user":\#(userText)}"#

    private static let facts = AdapterFacts(
        name: "irc", status: .up(since: Date(timeIntervalSinceReferenceDate: 5)), queuedMessages: 2,
        features: [.typing, .replies])
    private static let factsText =
        #"{"features":["replies","typing"],"name":"irc","queuedMessages":2,"status":{"since":5,"state":"up"}}"#

    private static func outcome(_ change: (inout CallOutcome) -> Void) -> CallOutcome {
        var outcome = CallOutcome()
        change(&outcome)
        return outcome
    }

    private static let gatewayFrames: [(GatewayFrame, String)] = [
        (
            .welcome(
                Welcome(
                    version: 1, generation: 3, adapters: [facts],
                    crashes: ["Oops": [Date(timeIntervalSinceReferenceDate: 5)]])),
            #"{"adapters":[\#(factsText)],"crashes":{"Oops":[5]},"generation":3,"type":"welcome","version":1}"#
        ),
        (
            .message(NumberedMessage(number: 7, attempt: 2, message: message)),
            #"{"attempt":2,"message":\#(messageText),"number":7,"type":"message"}"#
        ),
        (
            .result(call: 4, outcome { $0.message = message.id }),
            #"{"call":4,"outcome":{"message":"irc:1"},"type":"result"}"#
        ),
        (
            .result(call: 4, CallOutcome(failure: .init(code: "notInRoom", reason: "no"))),
            #"{"call":4,"outcome":{"failure":{"code":"notInRoom","reason":"no"}},"type":"result"}"#
        ),
        (.adapters([facts]), #"{"adapters":[\#(factsText)],"type":"adapters"}"#),
        (.reload, #"{"type":"reload"}"#), (.endTimers, #"{"type":"endTimers"}"#),
        (.drain(keepsQuestions: true), #"{"keepsQuestions":true,"type":"drain"}"#),
        (.ping(9), #"{"number":9,"type":"ping"}"#),
        (.report(9), #"{"number":9,"type":"report"}"#),
        (.commands(9, user, room), #"{"number":9,"room":\#(roomText),"type":"commands","user":\#(userText)}"#)
    ]

    @Test(arguments: gatewayFrames)
    func `frames of a gateway are encoded under stable names`(_ frame: GatewayFrame, _ coded: String) throws {
        #expect(String(decoding: try LinkCoder.encode(frame).json, as: UTF8.self) == coded)
        #expect(try LinkCoder.gatewayFrame(FrameBytes(json: Array(coded.utf8))) == frame)
    }

    private static let workerFrames: [(WorkerFrame, String)] = [
        (
            .hello(LinkVersions(newest: 2, oldest: 1), process: 12),
            #"{"process":12,"type":"hello","versions":{"newest":2,"oldest":1}}"#
        ),
        (.ready, #"{"type":"ready"}"#),
        (.done([1, 2]), #"{"numbers":[1,2],"type":"done"}"#),
        (
            .call(
                AdapterCall(
                    call: 1, adapter: "irc", number: 7, index: 0, operation: .deliver(.text("yes"), envelope))),
            #"{"adapter":"irc","call":1,"index":0,"number":7,"operation":{"envelope":\#(envelopeText),"#
                + #""kind":"deliver","utterance":{"kind":"text","text":"yes"}},"type":"call"}"#
        ),
        (
            .call(AdapterCall(call: 1, adapter: "irc", operation: .users(room))),
            #"{"adapter":"irc","call":1,"operation":{"kind":"users","room":\#(roomText)},"type":"call"}"#
        ),
        (.pong(9), #"{"number":9,"type":"pong"}"#),
        (
            .report(
                9, WorkerReport(health: Health(isGood: true, adapters: [:], brain: "ok", reasons: []), webPort: 80)),
            #"{"number":9,"report":{"health":{"adapters":{},"brain":"ok","ok":true,"reasons":[]},"webPort":80},"#
                + #""type":"report"}"#
        ),
        (
            .commands(9, [HelpLine("help <topic> - Help"), HelpLine("ping")]),
            #"{"commands":[{"purpose":"Help","usage":"help <topic>"},{"usage":"ping"}],"number":9,"type":"commands"}"#
        ),
        (
            .claim(Claim(message)),
            #"{"claim":{"room":\#(roomText),"sender":"irc:al","user":\#(userText)},"type":"claim"}"#
        ),
        (
            .release(Claim(message)),
            #"{"claim":{"room":\#(roomText),"sender":"irc:al","user":\#(userText)},"type":"release"}"#
        ),
        (.drained, #"{"type":"drained"}"#), (.stop, #"{"type":"stop"}"#)
    ]

    @Test(arguments: workerFrames)
    func `frames of a worker are encoded under stable names`(_ frame: WorkerFrame, _ coded: String) throws {
        #expect(String(decoding: try LinkCoder.encode(frame).json, as: UTF8.self) == coded)
        #expect(try LinkCoder.workerFrame(FrameBytes(json: Array(coded.utf8))) == frame)
    }

    private static let member = RoomMember(user: user, stay: "s1")
    private static let operations: [AdapterOperation] = [
        .deliver(.reply("yes"), envelope), .change(message.id, .retract, envelope), .showTyping(true, envelope),
        .waitUntil(message.id, .seen, milliseconds: 500, envelope), .showMore(envelope), .users(room),
        .isPresent(user.id), .locate(user), .isIn(room), .join("#b", password: "key"), .join("#b", password: nil),
        .leave("#b"), .member("al", room), .restriction(.ban, member, room), .restrictionOfAbsent(.quiet, user, room),
        .latestMessage(member, room), .author(message.id, room), .moderate(.kick(member, reason: "spam"), room),
        .block("spam.example"), .unblock("spam.example"), .blockedAddresses, .recognize(["ada"]), .metrics,
        .unknown("paint")
    ]

    @Test(arguments: operations)
    func `an operation comes back from JSON as it was`(_ operation: AdapterOperation) throws {
        let frame = WorkerFrame.call(AdapterCall(call: 1, adapter: "irc", operation: operation))
        #expect(try LinkCoder.workerFrame(LinkCoder.encode(frame)) == frame)
    }

    // MARK: Frames that are written and read without JSONEncoder and JSONDecoder

    private static let texts = [
        "", "a \"quote\" and a \\ backslash", "two\nlines\tand\u{1}controls", "ключ 日本 🧑‍💻 e\u{301}", "</script>"
    ]

    private static func plainMessages() -> [Message] {
        texts.flatMap { text in
            [0.1, -5, 785_000_000.123_456, 1e-7, 123_456_789_012_345_680].map { time in
                var message = Message(
                    id: .init(adapter: "xmpp", value: text),
                    user: User(id: .init(adapter: "xmpp", value: text), name: text),
                    room: Room(id: .init(adapter: "xmpp", value: text), name: text, isPrivate: time < 0),
                    content: .text(text), time: Date(timeIntervalSinceReferenceDate: time), isAddressed: time > 1)
                if time > 0 {
                    message.origin = text
                    message.user.account = text
                    message.user.isAnonymous = true
                }
                return message
            }
        }
    }

    @Test func `messages are the same as with JSONEncoder and JSONDecoder`() throws {
        for message in Self.plainMessages() {
            let frame = GatewayFrame.message(NumberedMessage(number: 7, attempt: 2, message: message))
            let plain = try #require(frame.plainJSON)
            #expect(try GatewayFrame(plainJSON: plain) == frame)
            #expect(try JSONDecoder().decode(GatewayFrame.self, from: Data(plain)) == frame)
            // Encoded by a peer of another version.
            let encoded = Array(try encoded(frame))
            #expect(try LinkCoder.gatewayFrame(FrameBytes(json: encoded)) == frame)
        }
    }

    @Test func `answers are the same as with JSONEncoder and JSONDecoder`() throws {
        for (index, text) in Self.texts.enumerated() {
            var envelope = Self.envelope
            if index > 0 {
                (envelope.thread, envelope.user, envelope.message) = (text, nil, nil)
                envelope.isTracked = true
            }
            for utterance in [Utterance.text(text), .reply(text), .emote(text), .topic(text)] {
                var call = AdapterCall(call: 1, adapter: "irc", operation: .deliver(utterance, envelope))
                if index > 0 { (call.number, call.index) = (7, 0) }
                if index > 1 { (call.observed, call.observer) = (Self.message.id, text) }
                let frame = WorkerFrame.call(call)
                let plain = try #require(frame.plainJSON)
                #expect(try WorkerFrame(plainJSON: plain) == frame)
                #expect(try JSONDecoder().decode(WorkerFrame.self, from: Data(plain)) == frame)
                #expect(try LinkCoder.workerFrame(FrameBytes(json: Array(encoded(frame)))) == frame)
            }
        }
        let done = WorkerFrame.done([])
        #expect(try done.plainJSON.map { try WorkerFrame(plainJSON: $0) } == done)
        let result = GatewayFrame.result(call: 4, CallOutcome())
        #expect(try result.plainJSON.map { try GatewayFrame(plainJSON: $0) } == result)
    }

    private func encoded(_ frame: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(frame)
    }

    @Test(
        arguments: [
            #"{"numbers":[1,2],"type":"done"} "#, #"{"numbers":[1,2],"numbers":[3],"type":"done"}"#,
            #"{"numbers":[1.5],"type":"done"}"#, #"{"numbers":null,"type":"done"}"#, #"{"type":"done"}"#, "{}", "",
            #"{"numbers":[1,2"#, #"{"numbers":[1,2]"#, #"{"numbers":[99999999999999999999],"type":"done"}"#,
            #"{"numbers":[1,],"type":"done"}"#, #"{"type":"done","numbers":[1,2]}"#
        ])
    func `what isn't in the usual form isn't read that way`(_ json: String) {
        #expect(throws: PlainJSONReader.Unusual.self) { try WorkerFrame(plainJSON: Array(json.utf8)) }
    }

    @Test func `a message with what few have is written by JSONEncoder, and one without what all have isn't read`()
        throws
    {
        var late = Self.message
        late.isLate = true
        var reply = Self.message
        reply.reply = Message.Reply(text: "hi")
        var topic = Self.message
        topic.content = .topic("tea")
        var never = Self.message
        never.time = Date(timeIntervalSinceReferenceDate: .infinity)
        for message in [late, reply, topic, never] {
            #expect(GatewayFrame.message(NumberedMessage(number: 7, message: message)).plainJSON == nil)
        }
        // The reader gives up at NUL.
        var nul = Self.message
        nul.content = .text("a\u{0}b")
        for message in [late, reply, topic, nul] {
            let frame = GatewayFrame.message(NumberedMessage(number: 7, message: message))
            #expect(try LinkCoder.gatewayFrame(LinkCoder.encode(frame)) == frame)
        }
        let frame = GatewayFrame.message(NumberedMessage(number: 7, message: Self.message))
        let text = String(decoding: try #require(frame.plainJSON), as: UTF8.self)
        for (part, other) in [
            (#""time":5"#, #""time":1e999"#), (#""time":5,"#, ""), (#""id":"irc:1""#, #""id":"irc""#),
            (#""kind":"text""#, #""kind":"enter""#), (#""isPrivate":false"#, #""isPrivate":null"#)
        ] {
            let changed = text.replacing(part, with: other)
            #expect(changed != text)
            #expect(throws: PlainJSONReader.Unusual.self) { try GatewayFrame(plainJSON: Array(changed.utf8)) }
        }
        var invalid = Array(text.utf8)
        invalid.insert(0xFF, at: text.utf8.count - 30)
        #expect(throws: PlainJSONReader.Unusual.self) { try GatewayFrame(plainJSON: invalid) }
    }

    @Test func `members and frames of a newer version are ignored`() throws {
        let ping = #"{"number":9,"type":"ping","urgency":"high"}"#
        #expect(try LinkCoder.gatewayFrame(FrameBytes(json: Array(ping.utf8))) == .ping(9))
        let music = #"{"type":"music","song":{"title":"a"}}"#
        #expect(try LinkCoder.gatewayFrame(FrameBytes(json: Array(music.utf8))) == .unknown("music"))
        #expect(try LinkCoder.workerFrame(FrameBytes(json: Array(music.utf8))) == .unknown("music"))
        let call = #"{"adapter":"irc","call":1,"operation":{"kind":"paint","color":3},"type":"call"}"#
        let expected = WorkerFrame.call(AdapterCall(call: 1, adapter: "irc", operation: .unknown("paint")))
        #expect(try LinkCoder.workerFrame(FrameBytes(json: Array(call.utf8))) == expected)
    }

    @Test func `the features of a newer version are ignored`() throws {
        let text = #"{"features":["replies","smell"],"name":"irc","queuedMessages":0,"status":{"state":"starting"}}"#
        let facts = try JSONDecoder().decode(AdapterFacts.self, from: Data(text.utf8))
        #expect(facts.messageFeatures == [.replies])
    }

    @Test func `what a server has said comes back from JSON as it was`() throws {
        let facts = AdapterFacts(name: "irc", status: .starting, serverFacts: ["caseMapping": "ascii"])
        let frame = GatewayFrame.adapters([facts])
        #expect(try LinkCoder.gatewayFrame(LinkCoder.encode(frame)) == frame)
    }

    @Test func `a file is sent as bytes beside the JSON`() throws {
        let file = Attachment(name: "a.png", type: "image/png", bytes: [0, 1, 255], alternative: "a")
        let operations: [AdapterOperation] = [
            .deliver(.attachment(file), Self.envelope),
            .change(Self.message.id, .edit(.attachment(file)), Self.envelope)
        ]
        for operation in operations {
            let frame = WorkerFrame.call(AdapterCall(call: 1, adapter: "irc", operation: operation))
            let bytes = try LinkCoder.encode(frame)
            #expect(bytes.file == file.bytes)
            #expect(String(decoding: bytes.json, as: UTF8.self).contains(#""bytes":[]"#))
            #expect(try LinkCoder.workerFrame(bytes) == frame)
        }
    }

    @Test func `frames are cut out of a stream, however it is divided`() throws {
        let frames = [
            FrameBytes(json: Array("{}".utf8)), FrameBytes(json: Array("[1]".utf8), file: [1, 2, 3]),
            FrameBytes(json: [])
        ]
        let stream = frames.flatMap { $0.sent ?? [] }
        for size in 1...stream.count {
            var splitter = FrameSplitter()
            var found: [FrameBytes] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(size))
                found += piece.withUnsafeBytes { splitter.split($0) }
                rest = rest.dropFirst(size)
            }
            #expect(found == frames)
            #expect(!splitter.isBroken)
        }
    }

    @Test func `a frame that is too long breaks the stream`() {
        var splitter = FrameSplitter()
        let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 1, 2, 3]
        for _ in 1...2 {
            let frames = bytes.withUnsafeBytes { splitter.split($0) }
            #expect(frames.isEmpty)
            #expect(splitter.isBroken)
        }
        let long = FrameBytes(json: [], file: [UInt8](repeating: 0, count: FrameBytes.longestFile + 1))
        #expect(long.sent == nil)
    }

    @Test func `two versions agree on the newest that both speak`() {
        let (one, two) = (LinkVersions(newest: 1, oldest: 1), LinkVersions(newest: 2, oldest: 1))
        let three = LinkVersions(newest: 3, oldest: 2)
        #expect(one.common(with: two) == 1)
        #expect(two.common(with: three) == 2)
        #expect(one.common(with: three) == nil)
    }

    @Test func `an adapter's error comes back as it was thrown`() {
        let error = AdapterError(.notInRoom, "I'm not in #a")
        #expect(CallOutcome.Failure(error).error as? AdapterError == error)
        #expect(CallOutcome.Failure(Refusal("No.")).error as? Refusal == Refusal("No."))
        let other = CallOutcome.Failure(CancellationError()).error
        #expect(other is GatewayCallError)
    }
}
