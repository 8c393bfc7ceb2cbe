import HeybotTesting
import Testing

@testable import Heybot

@Suite struct ListenerIndexTests {
    @Test func `a respond pattern matches after the name, a hear pattern anywhere`() async {
        let robot = TestRobot(
            InlineScript {
                $0.respond(/b/) { try await $0.send("respond") }
                $0.hear(/b/) { try await $0.send("hear") }
            })
        #expect(await robot.hears("abc") == [.text("hear")])
        #expect(await robot.hears("heybot abc") == [.text("hear")])
        #expect(await robot.hears("heybot bc") == [.text("respond"), .text("hear")])
    }

    @Test func `patterns ignore case by default, and have the simple word boundary`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/\bdon\b/) { try await $0.send("don") }
                $0.hear(/Exactly/, caseSensitive: true) { try await $0.send("exactly") }
            })
        #expect(await robot.hears("I DON'T") == [.text("don")])
        #expect(await robot.hears("exactly") == [])
        #expect(await robot.hears("Exactly") == [.text("exactly")])
    }

    @Test func `captures keep their types and names`() async {
        let robot = TestRobot(
            InlineScript {
                $0.respond(/(?<what>\w+) (?<count>\d+)(x)?/) { res in
                    try await res.send("\(res.match.what)/\(res.match.count)/\(res.match.3 ?? "-")")
                }
            })
        #expect(await robot.hears("heybot pug 5") == [.text("pug/5/-")])
        #expect(await robot.hears("heybot pug 5x") == [.text("pug/5/x")])
    }

    @Test func `enter, leave, topic and profile have listeners of their own`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/.*/) { try await $0.send("heard") }
                $0.enter { try await $0.send("welcome \($0.message.user.name)") }
                $0.leave { try await $0.send("bye \($0.match ?? "then")") }
                $0.topic { try await $0.send("topic \($0.match)") }
                $0.profile { try await $0.send("\($0.match.formerName ?? "nobody") is \($0.message.user.name)") }
                $0.catchAll { try await $0.send("what is \($0.match)?") }
            })
        #expect(await robot.enters("al") == [.text("welcome al")])
        #expect(await robot.leaves("al") == [.text("bye then")])
        #expect(await robot.leaves("al", reason: "tired") == [.text("bye tired")])
        #expect(await robot.sees(topic: "news") == [.text("topic news")])
        #expect(await robot.renames("al", to: "alf") == [.text("al is alf")])
    }

    @Test func `a matcher with required words only sees texts that contain one`() async {
        let long = String(repeating: "very long ", count: 10)
        let robot = TestRobot(
            InlineScript {
                $0.listen(containing: ["Tea ┻━┻", "coffee"], { $0.text.map(\.count) }) {
                    try await $0.send("\($0.match)")
                }
                $0.listen(containing: ["!"], { $0.text }) { try await $0.send("shout") }
                $0.listen(containing: [long], { $0.text }) { try await $0.send("long") }
            })
        #expect(await robot.hears("more tEA ┻━┻ please") == [.text("19")])
        #expect(await robot.hears("Coffee!") == [.text("7"), .text("shout")])
        #expect(await robot.hears("tea ┻━") == [])
        #expect(await robot.hears("so \(long)") == [.text("long")])
        #expect(await robot.hears("so \(long.prefix(80))") == [])
        #expect(await robot.enters("al") == [])
    }

    @Test func `listeners that the prefilter can't exclude are marked`() {
        var builder = RobotBuilder()
        builder.register(
            InlineScript("All") {
                $0.hear(/.*/, id: "any") { _ in }
                $0.hear(/deploy/, id: "word") { _ in }
                $0.hear(/\d{5,}/, id: "digits") { _ in }
                $0.respond(/(\w*)/, id: "anything said to it") { _ in }
                $0.listen(id: "matcher", { $0.text }) { _ in }
                $0.listen(containing: ["tea"], id: "matcher for tea", { $0.text }) { _ in }
                $0.enter(id: "enter") { _ in }
            })
        #expect(builder.listeners.filter(\.isAlwaysTried).map(\.id) == ["any", "anything said to it", "matcher"])
    }

    @Test func `JavaScript listeners are found by their own patterns`() async {
        let robot = TestRobot(
            InlineScript {
                $0.listen(remote: RemoteListener(.hear, pattern: "deploy(ed)? (\\d+)", flags: "i")) {
                    try await $0.send(.text("heard \($0.message.text ?? "")"))
                }
                $0.listen(remote: RemoteListener(.respond, pattern: "^ship")) {
                    guard let command = $0.command, command.hasPrefix("ship") else { throw SkipListener() }
                    try await $0.send(.text("told \(command)"))
                }
            })
        #expect(await robot.hears("we DEPLOYED 7") == [.text("heard we DEPLOYED 7")])
        #expect(await robot.hears("we ship, deployed") == [])
        #expect(await robot.hears("heybot: ship it") == [.text("told ship it")])
        #expect(await robot.hears("heybot: Ship it") == [])
    }

    @Test func `punctuation at the end of a command is ignored, unless the command matches it`() async {
        let robot = TestRobot(
            InlineScript { robot in
                robot.hear(/ping/) { try await $0.send("heard") }
                robot.respond(/ping$/) { try await $0.send("pong") }
                robot.respond(/echo (.+)$/) { try await $0.send(String($0.match.1)) }
                robot.respond(/maybe$/) { _ in throw SkipListener() }
                robot.catchAll { try await $0.send("what is \($0.match)?") }
            })
        for text in ["ping!", "ping?", "ping.", "ping ?!", "ping…", "ping！", "ping"] {
            #expect(await robot.hears("heybot \(text)") == [.text("heard"), .text("pong")], "\(text)")
            #expect(await robot.hears(text, from: "bob", in: "bob") == [.text("heard"), .text("pong")], "\(text)")
        }
        #expect(await robot.hears("heybot echo hi!") == [.text("hi!")])
        #expect(await robot.hears("heybot maybe?") == [.text("what is heybot maybe??")])
        #expect(await robot.hears("heybot pong!") == [.text("what is heybot pong!?")])
        #expect(await robot.hears("heybot ?!") == [.text("what is heybot ?!?")])
        #expect(await robot.hears("ping!") == [.text("heard")])
    }

    @Test func `polite words at the beginning of a command are ignored, unless the command matches them`() async {
        let robot = TestRobot(
            InlineScript { robot in
                robot.hear(/ping/) { try await $0.send("heard") }
                robot.respond(/ping$/) { try await $0.send("pong") }
                robot.respond(/echo (.+)$/) { try await $0.send(String($0.match.1)) }
                robot.respond(/can you swim$/) { try await $0.send("no") }
                robot.respond(/maybe$/) { _ in throw SkipListener() }
                robot.listen(remote: RemoteListener(.respond, pattern: "^ship")) {
                    guard let command = $0.command, command.hasPrefix("ship") else { throw SkipListener() }
                    try await $0.send(.text("told \(command)"))
                }
                robot.catchAll { try await $0.send("what is \($0.match)?") }
            })
        for text in [
            "please ping", "Please, ping.", "could you ping?", "can you please ping", "would you ping!",
            "please could you, please, ping?", "PLEASE ping", "please\u{a0}ping", "please\u{3000}ping", "ping！", "ping…"
        ] {
            #expect(await robot.hears("heybot \(text)") == [.text("heard"), .text("pong")], "\(text)")
        }
        #expect(await robot.hears("could you ping?", from: "bob", in: "bob") == [.text("heard"), .text("pong")])
        #expect(await robot.hears("heybot please echo please echo hi!") == [.text("please echo hi!")])
        #expect(await robot.hears("heybot can you swim?") == [.text("no")])
        #expect(await robot.hears("heybot could you ship it") == [.text("told ship it")])
        // Catch-alls get the text as it is.
        #expect(await robot.hears("heybot can you fly?") == [.text("what is heybot can you fly??")])
        #expect(await robot.hears("heybot please maybe") == [.text("what is heybot please maybe?")])
        #expect(await robot.hears("heybot please") == [.text("what is heybot please?")])
        #expect(await robot.hears("heybot pleaseping") == [.text("heard")])
        for text in ["please\u{301} ping", "please\u{301}, ping", "ping!\u{301}"] {
            #expect(await robot.hears("heybot \(text)") == [.text("heard")], "\(text)")
        }
        #expect(await robot.hears("could you ping?") == [.text("heard")])
    }

    @Test(arguments: [
        "heybot ping!", "heybot echo hi?", "heybot what?!", "heybot !", "ping!", "heybot please ping",
        "heybot could you echo hi?", "heybot can you"
    ])
    func `router and linear scan treat punctuation and polite words alike`(_ text: String) {
        let listeners = TestRobot(
            InlineScript { robot in
                robot.respond(/ping$/) { _ in }
                robot.respond(/echo (.+)$/) { _ in }
                robot.hear(/ping/) { _ in }
                robot.catchAll { _ in }
            }
        ).robot.listeners
        let message = Message(
            id: .init(adapter: "test", value: "1"), user: User(id: .init(adapter: "test", value: "a"), name: "a"),
            room: Room(id: .init(adapter: "test", value: "#x")), content: .text(text), time: .now)
        let input = RoutingInput(message, Addressing(name: "heybot", alias: nil))
        let router = ListenerIndex(listeners)
        #expect(
            router.listeners(matching: input).map(\.id)
                == router.listeners(matching: input, linearScan: true).map(\.id))
    }

    @Test func `a catch-all may be restricted to addressed messages`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/known/) { try await $0.send("heard") }
                $0.catchAll(onlyAddressed: true) { try await $0.send("what is \($0.match)?") }
                $0.catchAll { try await $0.send("who said \($0.match)?") }
            })
        #expect(await robot.hears("heybot: tea") == [.text("what is tea?"), .text("who said heybot: tea?")])
        #expect(await robot.hears("tea") == [.text("who said tea?")])
        #expect(await robot.hears("heybot known") == [.text("heard")])
    }

    @Test func `a listener may have any matcher`() async {
        let robot = TestRobot(
            InlineScript {
                $0.listen({ message in message.text.map(\.count) }) { try await $0.send("\($0.match) letters") }
            })
        #expect(await robot.hears("abc") == [.text("3 letters")])
        #expect(await robot.enters("al") == [])
    }

    @Test func `catch-alls match texts that no other listener matched, and only texts`() async {
        let robot = TestRobot(
            InlineScript {
                $0.catchAll { try await $0.send("one \($0.match)") }
                $0.catchAll { try await $0.send("two") }
                $0.hear(/known/) { _ in }
            })
        #expect(await robot.hears("known") == [])
        #expect(await robot.hears("strange") == [.text("one strange"), .text("two")])
        #expect(await robot.enters("al") == [])
    }

    @Test func `disabled scripts don't listen`() async {
        let robot = TestRobot(
            switches: DisabledScripts(off: ["Off"], offInRoom: ["#quiet": ["Loud"]]),
            InlineScript("Off") { $0.hear(/a/, help: "a - A", example: "a") { try await $0.send("off") } },
            InlineScript("Loud") { $0.hear(/a/, help: "b - B", example: "a") { try await $0.send("loud") } })
        #expect(await robot.hears("a") == [.text("loud")])
        #expect(await robot.hears("a", in: "#quiet") == [])
        let user = User(id: .init(adapter: "test", value: "al"), name: "al")
        #expect(
            robot.robot.commands(for: user, in: Room(id: .init(adapter: "test", value: "#x"))).map { "\($0.line)" } == [
                "b - B"
            ])
        #expect(robot.robot.commands(for: user, in: Room(id: .init(adapter: "test", value: "#quiet"))).isEmpty)
    }

    @Test func `listeners are data`() {
        let robot = TestRobot(
            InlineScript("Data") {
                $0.respond(/a(b)/, help: "a - Do a\nb", example: "ab", allow: .admins) { _ in }
                $0.enter(id: "greeter") { _ in }
            })
        let (one, other) = (robot.robot.listeners[0], robot.robot.listeners[1])
        #expect(one.id == "Data.1")
        #expect(one.pattern == "a(b)")
        #expect(one.trigger == .respond)
        #expect(one.access == .admins)
        #expect(one.help.map(\.usage) == ["a", "b"])
        #expect(one.help.map(\.purpose) == ["Do a", nil])
        #expect(other.id == "greeter")
        #expect(other.pattern == nil)
    }

    @Test func `a matcher that throws is reported as its listener's failure`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript {
                $0.listen({ _ -> Int? in throw Trouble() }) { _ in }
                $0.hear(/a/) { try await $0.send("fine") }
            })
        #expect(await robot.hears("a") == [.reply("Sorry, something went wrong (Inline)."), .text("fine")])
    }

    @Test func `examples that don't match, and help without an example, are reported`() {
        let robot = TestRobot(
            InlineScript("Rotten") {
                $0.respond(/deploy (\w+)/, help: "deploy <app> - Deploy", example: "depoly web") { _ in }
                $0.hear(/a/, help: "a - A") { _ in }
                $0.hear(/a/, help: "a - A", example: "a") { _ in }
            })
        #expect(
            robot.brokenExamples() == [
                "Rotten.1 doesn't answer its example: Heybot depoly web", "Rotten.2 has help but no example"
            ])
    }
}
