import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite(.timeLimit(.minutes(15))) struct GreetingsTests {
    let robot = TestRobot(name: "marvin", alias: "m", Greetings(), Help())

    @Test(arguments: [
        ("hello", ["Hello", "Hi", "Hey"]), ("Hi!", ["Hello", "Hi", "Hey"]), ("good morning", ["Hello", "Hi", "Hey"]),
        ("hey there", ["Hello", "Hi", "Hey"]), ("hello, marvin!", ["Hello", "Hi", "Hey"]),
        ("thanks", ["You're welcome", "Any time", "My pleasure"]),
        ("Thank you very much.", ["You're welcome", "Any time", "My pleasure"]),
        ("bye", ["Bye", "See you", "Take care"]), ("exit", ["Bye", "See you", "Take care"]),
        ("quit", ["Bye", "See you", "Take care"])
    ])
    func `it is polite, in rooms and in private`(_ text: String, _ answers: [String]) async {
        for said in [
            await robot.hears("marvin: \(text)", from: "ada"), await robot.hears(text, from: "ada", in: "ada")
        ] {
            #expect(said.count == 1 && answers.contains { said == [.text("\($0), ada!")] }, "\(said)")
        }
        #expect(await robot.hears("\(text) bob") == [])
    }

    @Test func `it introduces itself`() async {
        for text in ["who are you", "Who are you?", "what are you?"] {
            #expect(
                await robot.hears("marvin \(text)") == [
                    .text("I'm marvin, a chat bot. Say \"marvin help\" to see what I can do.")
                ])
        }
        #expect(
            await robot.hears("how are you?", from: "ada", in: "ada") == [
                .text("I'm fine, thanks. Say \"help\" to see what I can do.")
            ])
        #expect(await robot.hears("marvin how are you?").count == 1)
    }

    @Test(arguments: [
        "marvin hello, how are you?", "marvin: hi Marvin, how are you doing?", "Hello Marvin, how are you?",
        "hey @marvin! How are you?"
    ])
    func `a greeting may ask how it is`(_ text: String) async {
        let said = await robot.hears(text, from: "ada").map(\.content)
        #expect(said.count == 1 && said[0].contains(#/^(Hello|Hi|Hey), ada! I'm fine, thanks\. /#), "\(said)")
        #expect(await robot.hears("Hello bob, how are you?", from: "ada") == [])
    }

    @Test func `a script that greets is the only one that does`() async {
        let robot = TestRobot(
            name: "marvin", Greetings(), Help(),
            InlineScript { $0.respond(/hello$/) { try await $0.send("Hello, human.") } })
        #expect(await robot.hears("marvin hello") == [.text("Hello, human.")])
    }

    @Test func `its name may follow the greeting, and another bot can't cause a loop`() async {
        for text in ["hello marvin", "Thanks, @Marvin!"] {
            #expect(await robot.hears(text, from: text).count == 1, "\(text)")
            #expect(await robot.hears(text, from: text) == [], "\(text)")
        }
        for text in ["hello", "hello bob", "hello marvin and bob", "thanks all"] {
            #expect(await robot.hears(text, from: "eve") == [], "\(text)")
        }
        // Nor does a greeting use up the thanks.
        for text in ["hello marvin", "thanks marvin", "goodnight, marvin"] {
            #expect(await robot.hears(text, from: "bob").count == 1, "\(text)")
        }
        // A greeting to another user doesn't start the cooldown.
        #expect(await robot.hears("hi m", from: "eve").count == 1)
        #expect(
            await robot.hears("marvin hello bob", from: "eve") == [
                .reply("I don't understand that. Say \"marvin help\" to see what I can do.")
            ])
    }
}
