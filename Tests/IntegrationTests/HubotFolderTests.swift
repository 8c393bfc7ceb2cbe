import Foundation
import TestServers
import Testing

/// The folder of a Hubot that has run for years, and its Redis: `heybot`, started in that folder, goes on from there.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(20))) struct HubotFolderTests {
    private static let files = [
        "package.json": #"{"name":"marvin","dependencies":{"hubot":"^2.19.0","hubot-tea":"*","hubot-scripts":"*"}}"#,
        "external-scripts.json": #"["hubot-redis-brain", "hubot-help", "hubot-tea"]"#,
        "hubot-scripts.json": #"["redis-brain.coffee", "kettle.coffee"]"#,
        "Procfile": "web: bin/hubot -a irc -n marvin\n",
        "scripts/points.coffee": """
        # Description:
        #   Counts points
        #
        # Commands:
        #   hubot give <name> a point - Gives somebody a point

        module.exports = (robot) ->
          robot.brain.on 'loaded', ->
            robot.brain.data.points ?= {}
          robot.respond /give (\\w+) a point$/i, (msg) ->
            points = robot.brain.data.points
            points[msg.match[1]] = (points[msg.match[1]] or 0) + 1
            msg.send "#{msg.match[1]} has #{points[msg.match[1]]}"

        """,
        "scripts/memory.js": """
        // Commands:
        //   hubot what do you know - Says what it knows
        module.exports = function(robot) {
          robot.respond(/what do you know$/i, function(msg) {
            const { data } = robot.brain;
            robot.brain.set('asked', (robot.brain.get('asked') || 0) + 1);
            data.lists.visits.push('today');
            msg.send(`${robot.brain.get('motto')}; ${data.lists.visits}; ${robot.brain.userForName('Ada').email}`);
          });
        };
        """,
        "node_modules/hubot-tea/package.json":
            #"{"name":"hubot-tea","main":"index.coffee","dependencies":{"teapot":"*"}}"#,
        "node_modules/hubot-tea/index.coffee": """
        fs = require 'fs'
        path = require 'path'
        module.exports = (robot, scripts) ->
          folder = path.resolve __dirname, 'src'
          for file in fs.readdirSync(folder) when not scripts? or '*' in scripts or file in scripts
            robot.loadFile folder, file

        """,
        "node_modules/hubot-tea/src/tea.coffee": """
        # Configuration:
        #   HUBOT_TEA - The kind of tea
        #
        # Commands:
        #   hubot pour <name> some tea - Pours tea
        teapot = require 'teapot'
        module.exports = (robot) ->
          robot.respond /pour (\\w+) some tea$/i, (msg) ->
            msg.send teapot.pour process.env.HUBOT_TEA, msg.match[1]

        """,
        "node_modules/teapot/package.json": #"{"name":"teapot","version":"1.0.0","main":"lib/teapot.js"}"#,
        "node_modules/teapot/lib/teapot.js":
            "exports.pour = function(kind, name) { return 'a cup of ' + kind + ' tea for ' + name; };",
        "node_modules/hubot-scripts/package.json": #"{"name":"hubot-scripts","version":"2.17.2"}"#,
        "node_modules/hubot-scripts/src/scripts/kettle.coffee": """
        # Commands:
        #   hubot kettle - Boils water
        module.exports = (robot) ->
          robot.respond /kettle$/i, (msg) -> msg.send 'The water boils.'

        """
    ]

    private static let blob = #"""
        {"users":{"7":{"id":"7","name":"Ada","email":"ada@example.org","roles":["deployer"]}},
        "_private":{"motto":"Be kind","list":[1,{"deep":[null,true,"é"]}]},
        "points":{"ada":7},"lists":{"visits":["monday"]},"empty":{},"number":1.5}
        """#

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// What a command of Heybot prints in the Hubot's folder.
    private func heybot(_ redis: RedisServer, _ arguments: String...) async throws -> String {
        let program = try #require(
            Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot").path)
        let environment = [
            "PATH=/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA=\(folder.path("data"))", "HUBOT_TEA=green",
            "REDIS_URL=redis://127.0.0.1:\(redis.port)", "HEYBOT_LOG_LEVEL=notice", "HEYBOT_HTTPD=false",
            "HEYBOT_DEADLINE=600", "HEYBOT_REDIS_TIMEOUT=600"
        ]
        return try await ChildProcess.run(
            ["env", "-i", "-C", folder.path("marvin")] + environment + [program] + arguments, in: folder)
    }

    @Test func `one command runs all scripts, with their memory and help, and the brain can be given back`()
        async throws
    {
        let redis = try await RedisServer.start()
        try await redis.command("SET", "hubot:storage", Self.blob)
        for (path, text) in Self.files {
            try folder.makeFolder("marvin/" + path.split(separator: "/").dropLast().joined(separator: "/"))
            try folder.write(text, to: "marvin/\(path)")
        }

        let first = try await heybot(redis, "-e", "give ada a point")
        #expect(first.contains("ada has 8"))
        #expect(first.contains("imported 7 entries from Hubot's brain at hubot:storage, which stays unchanged"))
        #expect(first.contains("the package hubot-redis-brain wasn't loaded, because the robot's brain replaces it"))
        let second = try await heybot(redis, "-e", "give ada a point")
        #expect(second.contains("ada has 9") && !second.contains("imported"))
        let third = try await heybot(redis, "-e", "what do you know")
        #expect(third.contains("Be kind; monday,today; ada@example.org"))
        #expect(try await heybot(redis, "-e", "pour ada some tea").contains("a cup of green tea for ada"))
        #expect(try await heybot(redis, "-e", "kettle").contains("The water boils."))
        for (word, line) in [
            ("point", "give <name> a point - Gives somebody a point"),
            ("know", "what do you know - Says what it knows"),
            ("pour", "pour <name> some tea - Pours tea"), ("kettle", "kettle - Boils water")
        ] {
            let help = try await heybot(redis, "-e", "help \(word)")
            #expect(help.contains(line), "\(help)")
        }
        let check = try await heybot(redis, "check")
        #expect(check.contains("HUBOT_TEA"), "\(check)")

        #expect(try await redis.command("GET", "hubot:storage") == Self.blob)
        let exported = try await heybot(redis, "brain", "export", "--hubot")
        let brain = try #require(
            JSONSerialization.jsonObject(with: Data(exported.utf8)) as? [String: Any], "\(exported)")
        var expected = try #require(
            JSONSerialization.jsonObject(with: Data(Self.blob.utf8)) as? [String: Any])
        expected["points"] = ["ada": 9]
        expected["lists"] = ["visits": ["monday", "today"]]
        var privateValues = try #require(expected["_private"] as? [String: Any])
        privateValues["asked"] = 1
        expected["_private"] = privateValues
        var rest = brain
        (rest["users"], expected["users"]) = (nil, nil)
        #expect(rest as NSDictionary == expected as NSDictionary, "\(exported)")
        let users = try #require(brain["users"] as? [String: NSDictionary])
        #expect(users["7"] == ["id": "7", "name": "Ada", "email": "ada@example.org", "roles": ["deployer"]])
        await redis.stop()
    }
}
