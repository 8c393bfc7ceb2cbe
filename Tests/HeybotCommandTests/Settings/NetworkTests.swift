import FoundationEssentials
import Heybot
import Testing

@testable import HeybotCommand

/// Several networks of a kind, in the environment and in the settings file.
@Suite struct NetworkTests {
    private func read(_ environment: [String: String], file: String? = nil) throws -> ResolvedSettings {
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-networks-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "heybot.json").path
        try Data((file ?? "{}").utf8).write(to: URL(filePath: path))
        let environment = environment.merging(["HEYBOT_CONFIG": path, "HEYBOT_NAME": "marvin"]) { given, _ in given }
        return try ResolvedSettings(Options.parse([]), [], environment: environment)
    }

    private func problems(_ environment: [String: String], file: String? = nil) -> [String] {
        do {
            _ = try read(environment, file: file)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    private let two = [
        "HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_NETWORKS": "libera,oftc", "HEYBOT_IRC_LIBERA_SERVER": "irc.libera.chat",
        "HEYBOT_IRC_OFTC_SERVER": "irc.oftc.net"
    ]

    private func two(_ more: [String: String]) -> [String: String] { two.merging(more) { $1 } }

    @Test func `each network has its own settings, and those without a name apply to all`() throws {
        let read = try read(
            two([
                "HEYBOT_IRC_NICK": "bender", "HEYBOT_IRC_OFTC_NICK": "marvin2", "HEYBOT_IRC_LIBERA_ROOMS": "#dev",
                "HEYBOT_IRC_OFTC_NICKSERV_PASSWORD": "pencil"
            ]))
        let networks = read.settings.networks
        #expect(networks.map(\.name) == ["libera", "oftc"])
        let configurations = networks.map { read.settings.values(of: $0).ircConfiguration(of: $0) }
        #expect(configurations.map { $0.servers.map(\.description) } == [["irc.libera.chat"], ["irc.oftc.net"]])
        #expect(configurations.map(\.nick) == ["bender", "marvin2"])
        #expect(configurations.map { $0.channels.map(\.name) } == [["#dev"], []])
        #expect(configurations.map(\.accountPassword) == [nil, "pencil"])
        #expect(configurations[1].optionNames.nick == "HEYBOT_IRC_OFTC_NICK")
    }

    @Test func `sections of the settings file are networks`() throws {
        let file = """
            {
              adapters: ["irc", "xmpp"],
              irc: { nick: "bender", oftc: { server: "irc.oftc.net" }, libera: { server: "irc.libera.chat", nick: "m" } },
              xmpp: {
                work: { username: "marvin@example.org", password: "a" },
                family: { username: "marvin@example.net", password: "b" },
              },
            }
            """
        let settings = try read([:], file: file).settings
        #expect(settings.networks.map(\.name) == ["libera", "oftc", "family", "work"])
        let networks = settings.networks
        #expect(networks.prefix(2).map { settings.values(of: $0).ircConfiguration(of: $0).nick } == ["m", "bender"])
        let addresses = networks.suffix(2).map { settings.values(of: $0).xmppConfiguration(of: $0).address }
        #expect(addresses == ["marvin@example.net", "marvin@example.org"])
        // The environment chooses among them.
        let one = try read(["HEYBOT_IRC_NETWORKS": "oftc", "HEYBOT_ADAPTER": "irc"], file: file).settings
        #expect(one.networks.map(\.name) == ["oftc"])
    }

    @Test func `one network is called like its adapter`() throws {
        let settings = try read(["HEYBOT_ADAPTER": "irc,shell", "HEYBOT_IRC_SERVER": "irc.libera.chat"]).settings
        #expect(settings.networks == [Network(.irc), Network(.shell)])
        #expect(settings.networks.map(\.name) == ["irc", "shell"])
        #expect(Network(.irc).variable("NICK") == "HEYBOT_IRC_NICK")
    }

    @Test func `what a network lacks is named with the network`() {
        let problems = problems([
            "HEYBOT_ADAPTER": "irc,xmpp", "HEYBOT_IRC_NETWORKS": "libera", "HEYBOT_XMPP_NETWORKS": "work"
        ])
        #expect(problems.count == 3)
        #expect(problems.first?.hasPrefix("HEYBOT_IRC_LIBERA_SERVER is missing") == true)
        #expect(problems.contains { $0.hasPrefix("HEYBOT_XMPP_WORK_USERNAME is missing") })
        #expect(problems.contains { $0.hasPrefix("HEYBOT_XMPP_WORK_PASSWORD is missing") })
    }

    @Test func `errors name the setting that is set, for one network or for all`() {
        #expect(
            problems(two(["HEYBOT_IRC_USESSL": "false", "HEYBOT_IRC_LIBERA_CERT_FILE": "/x.pem"])).first?
                .contains("HEYBOT_IRC_USESSL=false disables TLS") == true)
        #expect(
            problems(two(["HEYBOT_IRC_LIBERA_USESSL": "false", "HEYBOT_IRC_LIBERA_CERT_FILE": "/x.pem"])).first?
                .contains("HEYBOT_IRC_LIBERA_USESSL=false disables TLS") == true)
    }

    @Test func `Google Talk can't be combined with several XMPP accounts`() {
        let environment = [
            "HEYBOT_ADAPTER": "xmpp,gtalk", "HEYBOT_XMPP_NETWORKS": "work",
            "HEYBOT_XMPP_WORK_USERNAME": "m@example.org",
            "HEYBOT_XMPP_WORK_PASSWORD": "pencil", "HEYBOT_GTALK_USERNAME": "m@example.net",
            "HEYBOT_GTALK_PASSWORD": "pencil"
        ]
        #expect(problems(environment).first?.hasPrefix("the adapter gtalk can't be combined") == true)
    }

    @Test func `a server or a password must say which network it is for`() {
        #expect(
            problems(two(["HEYBOT_IRC_SERVER": "irc.example.org"])) == [
                "HEYBOT_IRC_SERVER doesn't say which network it is for (libera, oftc): set HEYBOT_IRC_LIBERA_SERVER instead"
            ])
        let secret = problems(two(["HUBOT_IRC_NICKSERV_PASSWORD": "pencil"]))
        #expect(secret.count == 1 && secret.first?.contains("pencil") == false)
    }

    @Test func `admins belong to a network`() {
        #expect(
            problems(two(["HEYBOT_AUTH_ADMIN": "irc:ada,libera:bob"])) == [
                "HEYBOT_AUTH_ADMIN names irc:ada, but no network is called irc (libera, oftc): write libera:ada in it"
            ])
        #expect(problems(two(["HEYBOT_AUTH_ADMIN": "libera:bob"])) == [])
    }

    @Test(arguments: ["nickserv", "page", "xmpp", "a-b", "9net", "robot", "Ünet", "libera,libera"])
    func `a name that means something else is refused`(_ name: String) {
        let problems = problems([
            "HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_NETWORKS": name, "HEYBOT_IRC_SERVER": "a.example.org"
        ])
        #expect(
            problems.count == 1 && problems.first?.hasPrefix("HEYBOT_IRC_NETWORKS is \"\(name)\"") == true,
            "\(problems)")
    }

    @Test(
        arguments: [
            ("a-b", "a-b can't be the name of a network, because it has other characters than a to z and 0 to 9"),
            ("9net", "9net can't be the name of a network, because it doesn't begin with a letter"),
            ("libera,xmpp", "xmpp can't be the name of a network, because it is the name of an adapter"),
            ("robot", "robot can't be the name of a network, because it is a part of the robot"),
            ("libera,oftc,Libera", "libera is listed twice")
        ] as [(String, String)])
    func `the reason against a name is said`(_ names: String, _ reason: String) {
        let problems = problems([
            "HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_NETWORKS": names, "HEYBOT_IRC_SERVER": "a.example.org"
        ])
        #expect(
            problems.first == "HEYBOT_IRC_NETWORKS is \"\(names)\": \(reason); "
                + "expected names of letters and digits, such as libera, separated by commas")
    }

    @Test func `reasons with names of settings and limits`() {
        #expect(
            Network.objection(to: "nickserv", of: .irc)?
                .contains(" because there are settings such as HEYBOT_IRC_NICKSERV_") == true)
        #expect(
            Network.objection(to: String(repeating: "a", count: 33), of: .irc)?
                .hasSuffix("because it is longer than 32 characters") == true)
        #expect(Network.objection(to: String(repeating: "a", count: 32), of: .irc) == nil)
    }

    @Test(
        arguments: [
            (
                "{ adapters: 'irc', irc: { server: 'a.example.org', 'my-net': { server: 'b.example.org' } } }",
                "my-net can't be the name of a network, because it has other characters than a to z and 0 to 9: "
                    + "choose another name, of letters and digits, such as libera"
            ),
            (
                "{ adapters: 'irc', irc: { server: 'a.example.org', Libera: { server: 'b.example.org' } } }",
                "Libera can't be the name of a network, because it has other characters than a to z and 0 to 9: "
                    + "choose another name, of letters and digits, such as libera"
            ),
            ("{ adapters: 'irc', irc: { libera: { server: true } } }", "irc.libera.server is "),
            (
                "{ adapters: 'irc', irc: { networks: ['libera'], libera: 'irc.libera.chat' } }",
                "irc.libera is \"irc.libera.chat\"; expected an object, { … }"
            ),
            ("{ adapters: 'irc', irc: 'libera' }", "irc is \"libera\"; expected an object, { … }"),
            ("{ adapters: 'irc', irc: { networks: 5 } }", "irc.networks is 5; expected names of letters and digits")
        ] as [(String, String)])
    func `what is wrong with a section of a network is said, with its line`(_ file: String, _ message: String) {
        let problems = problems([:], file: file)
        #expect(problems.contains { $0.contains("heybot.json:1: \(message)") }, "\(problems)")
    }

    @Test func `a setting of a network that isn't listed is named with the network`() {
        #expect(
            problems(two(["HEYBOT_IRC_HACKINT_NICK": "m"])) == [
                "HEYBOT_IRC_HACKINT_NICK is for a network hackint, which HEYBOT_IRC_NETWORKS doesn't list: "
                    + "add it, or unset HEYBOT_IRC_HACKINT_NICK"
            ])
        #expect(
            problems(two(["HEYBOT_IRC_LIBRA_NICK": "m"])) == [
                "HEYBOT_IRC_LIBRA_NICK is for a network libra, which HEYBOT_IRC_NETWORKS doesn't list: "
                    + "set HEYBOT_IRC_LIBERA_NICK if you mean that, or add the network"
            ])
    }

    @Test func `with one network, a wrong name of a setting is taken for that`() {
        let found = problems([
            "HEYBOT_ADAPTER": "irc", "HEYBOT_IRC_SERVER": "a.example.org", "HEYBOT_IRC_NICKSRV_PASSWORD": "x"
        ])
        #expect(found == ["HEYBOT_IRC_NICKSRV_PASSWORD is not a setting; did you mean HEYBOT_IRC_NICKSERV_PASSWORD?"])
    }

    @Test func `two networks can't have the same name`() {
        let problems = problems([
            "HEYBOT_ADAPTER": "irc,xmpp", "HEYBOT_IRC_NETWORKS": "work", "HEYBOT_XMPP_NETWORKS": "work",
            "HEYBOT_IRC_WORK_SERVER": "irc.example.org", "HEYBOT_XMPP_WORK_USERNAME": "marvin@example.org",
            "HEYBOT_XMPP_WORK_PASSWORD": "pencil"
        ])
        #expect(problems == ["two networks are called work: give one of them another name"])
    }

    @Test func `an unknown setting of a network is an error, with the one that is meant`() {
        #expect(
            problems(two(["HEYBOT_IRC_LIBERA_SERVR": "x"])).first?.contains("HEYBOT_IRC_LIBERA_SERVER?") == true)
        let file = "{ adapters: \"irc\", irc: { libera: { server: \"irc.libera.chat\", rooom: \"#dev\" } } }"
        #expect(problems([:], file: file).first?.contains("irc.libera.rooom is not a setting") == true)
    }

    @Test func `the log level of a network is set by its name, and that of all networks by IRC_DEBUG`() throws {
        #expect(try read(two(["HEYBOT_LOG_LEVEL": "info,oftc=trace"])).settings.log.levels.names == ["oftc"])
        let levels = try read(two(["HEYBOT_IRC_DEBUG": "true"])).settings.logging.levels
        #expect(Set(levels.names) == ["libera", "oftc"])
    }
}
