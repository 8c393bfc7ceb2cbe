import Foundation

/// A folder of Hubot scripts as users have one: ten in CoffeeScript, three in JavaScript, and two ES modules.
public struct HubotFolder {
    /// What users say to a script, and what they get.
    public struct Dialogue: Sendable {
        /// What is said, without the robot's name if it is a command.
        public let text: String
        /// Whether it is a command.
        public let isCommand: Bool
        /// A part of the answer.
        public let answer: String
    }

    /// The folder.
    public let path: String
    private let folder: ScratchFolder

    /// Copies the scripts from `Tests/HubotHost/scripts`.
    public init() throws {
        folder = try ScratchFolder()
        path = try folder.makeFolder("scripts")
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../HubotHost/scripts").standardized.path
        for name in Self.dialogues.keys {
            try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: "\(path)/\(name)")
        }
    }

    /// A dialogue for each script, with a room in which only Ada has spoken.
    public static let dialogues: [String: Dialogue] = [
        "choices.coffee": .command("choose tea, rum", "chosen: 2"),
        "deploys.coffee": .command("deploy app", "app is deployed"),
        "greetings.coffee": .command("greet ada", "Hello, ada!"),
        "karma.coffee": .said("tea++", "tea: 1"),
        "oldest.coffee": .said("hi there", "hi, "),
        "people.coffee": .command("note zoe likes tea", "1 notes, likes tea"),
        "reminders.coffee": .command("describe yourself", "string true true false"),
        "rooms.coffee": .command("secret psst", "psst"),
        "weather.coffee": .command("weather lisbon", "The weather failed: "),
        "literate.litcoffee": .command("why literate", "because it reads well"),
        "guard.js": .command("guarded", " finished, d***"),
        "store.js": .command("no store", "true datastore is not initialized"),
        "vote.js": .command("start vote tea?", "Vote: tea?"),
        "modern.mjs": .command("mild", "g***"),
        "tickets.mjs": .command("tickets", "0 Command: tickets.create")
    ]

    /// The commands in the scripts' header comments: usages and purposes, one of each script that has some.
    public static let commands = [
        "choose <a>, <b>": "Chooses one", "deploy <app>": "Deploys an app", "greet <name>": "Greets somebody",
        "karma <thing>": "Says how many points a thing has", "find <name>": "Finds people",
        "describe yourself": "Says what the robot is", "whisper <text>": "Says it to you alone",
        "station <id>": "Looks a station up, with a password", "guarded": "Is counted",
        "recall <key>": "Gives the value",
        "votes": "Says how the vote stands", "slow reply": "Answers in two steps", "tickets": "Lists the tickets"
    ]
}

extension HubotFolder.Dialogue {
    fileprivate static func command(_ text: String, _ answer: String) -> Self {
        Self(text: text, isCommand: true, answer: answer)
    }

    fileprivate static func said(_ text: String, _ answer: String) -> Self {
        Self(text: text, isCommand: false, answer: answer)
    }
}
