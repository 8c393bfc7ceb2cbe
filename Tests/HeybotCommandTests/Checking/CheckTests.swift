import CSQLite
import Foundation
import TestServers
import Testing

/// Tests of `heybot check`, run as a process, that need no chat server.
@Suite(.blocking, .timeLimit(.minutes(15))) struct CheckTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func check(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandRun {
        try await CommandRun.check(arguments, in: home, environment: environment)
    }

    @Test func `with default settings all checks pass, and the brain stays empty`() async throws {
        let run = try await check()
        #expect(run.status == 0)
        #expect(run.errors == "")
        let rows = run.output.split(separator: "\n")
        #expect(rows.prefix(6).allSatisfy { $0.hasPrefix("ok    ") }, "\(run.output)")
        #expect(run.output.contains("ok    brain     \(home.url.path)/brain.sqlite  opened, written and read back\n"))
        let services = rows.filter { $0.hasPrefix("skip  services ") }
        #expect(services.count == 1, "\(run.output)")
        for text in [
            "Play (needs HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS)", "Search (needs HEYBOT_SEARCH_URL)",
            "YouTube (needs HEYBOT_YOUTUBE_API_KEY "
        ] {
            #expect(services.first?.contains(text) == true, "\(run.output)")
        }
        #expect(!run.output.contains("HEYBOT_HELP_URL"))
        #expect(rows.last?.hasPrefix("6 ok, ") == true)
        #expect(try CommandRun(arguments: ["brain", "list"], in: home.url).output == "")
    }

    @Test func `each settings problem is a row, and other checks are skipped`() async throws {
        try home.write("{\n  nmae: 'x',\n  limits: { deadline: 'soon' }\n}", to: "heybot.json")
        let run = try await check(environment: ["HEYBOT_FROBNICATE": "1", "HEYBOT_IRC_PASSWROD": "hemmelig"])
        #expect(
            run.output.hasPrefix(
                """
                FAIL  settings  heybot.json:2: nmae is not a setting
                                → write name at heybot.json:2 if you mean that; \"heybot settings --all\" lists all settings
                FAIL  settings  heybot.json:3: limits.deadline is "soon"
                                → set limits.deadline in heybot.json:3 to a number of seconds, up to 86400
                FAIL  settings  HEYBOT_FROBNICATE is not a setting
                                → unset it; \"heybot settings --all\" lists all settings
                """))
        #expect(
            run.output.contains(
                "HEYBOT_IRC_PASSWROD is not a setting\n                → set HEYBOT_IRC_PASSWORD if you mean that; "))
        #expect(run.output.contains("skip  brain     the settings must be valid first\n"))
        #expect(!run.output.contains("hemmelig"))
        #expect(run.status == 1)
    }

    @Test func `an invalid settings file is reported with its line`() async throws {
        try home.write("{\n  name: 'x'\n  alias: 'y'\n}", to: "heybot.json")
        let run = try await check()
        #expect(
            run.output.hasPrefix(
                """
                FAIL  settings  heybot.json:3 isn't valid JSON5: expected a comma
                                → correct it at heybot.json:3
                """))
        #expect(run.status == 1)
    }

    @Test func `a missing password is reported`() async throws {
        let run = try await check("-a", "irc,xmpp", environment: ["HEYBOT_XMPP_USERNAME": "marvin@example.org"])
        #expect(
            run.output.hasPrefix(
                """
                FAIL  settings  HEYBOT_IRC_SERVER is missing
                                → set HEYBOT_IRC_SERVER: the network's server, such as irc.libera.chat
                FAIL  settings  HEYBOT_XMPP_PASSWORD is missing
                                → set HEYBOT_XMPP_PASSWORD: the account's password

                """), "\(run.output)")
        #expect(run.status == 1)
    }

    @Test func `an invalid option is a usage error`() async throws {
        let run = try await check("--frobnicate")
        #expect(run.errors.hasPrefix("heybot: Unknown option '--frobnicate'"))
        #expect(run.status == 64)
    }

    // MARK: Services

    @Test func `a search server passes if it answers`() async throws {
        let server = try ScriptedHTTPServer { client in
            while client.head() != nil { client.answer("200 OK", ["Content-Type: application/json"], "{}") }
        }
        let run = try await check(environment: ["HEYBOT_SEARCH_URL": server.url(), "HEYBOT_DEADLINE": "600"])
        #expect(run.output.contains(/ok    services  Search +127.0.0.1 answers\n/), "\(run.output)")
        #expect(!run.output.contains("Search (needs "), "\(run.output)")
        #expect(server.clients.first?.received.hasPrefix("GET /search?q=heybot&format=json HTTP/1.1\r\n") == true)
        #expect(run.status == 0)
        server.stop()
    }

    @Test func `a failing service is reported with its setting`() async throws {
        let server = try ScriptedHTTPServer { client in while client.head() != nil { client.answer("403 Forbidden") } }
        let run = try await check(environment: [
            "HEYBOT_SEARCH_URL": server.url(), "HEYBOT_INVIDIOUS_URL": "http://127.0.0.1:1",
            "HEYBOT_TRANSLATE_URL": server.url(), "HEYBOT_DEADLINE": "600"
        ])
        #expect(
            run.output.contains(
                /warn  services  Search +127.0.0.1 answered with status 403\n +→ check HEYBOT_SEARCH_URL: base URL of your SearXNG/
            ),
            "\(run.output)")
        #expect(
            run.output.contains(
                /warn  services  YouTube +127.0.0.1 can't be reached: it refuses the connection\n +→ check HEYBOT_INVIDIOUS_URL: base URL/
            ),
            "\(run.output)")
        // A LibreTranslate may have nothing at its root, or require a key for it.
        #expect(run.output.contains(/ok    services  Translate +127.0.0.1 answers\n/), "\(run.output)")
        #expect(!run.output.contains("CAMPFIRE"))
        server.stop()
    }

    // MARK: The brain

    @Test func `a store that another program keeps locked`() async throws {
        #expect(try await check().status == 0)
        var connection: OpaquePointer?
        #expect(sqlite3_open(home.url.appending(path: "brain.sqlite").path, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        #expect(sqlite3_exec(connection, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
        let run = try await check()
        #expect(run.output.contains("FAIL  brain     \(home.url.path)/brain.sqlite  "))
        #expect(
            run.output.contains(
                "has been locked by another program for over 5 s\n                → close that program, or wait"))
        #expect(run.status == 1)
    }

    @Test func `a damaged brain`() async throws {
        try home.write("Dear diary", to: "brain.sqlite")
        let run = try await check()
        #expect(
            run.output.contains(
                "is damaged, or isn't a database (file is not a database)\n                → restore a backup"))
        #expect(run.status == 1)
    }

    @Test(.enabled(if: SmallDisk.isPossible)) func `a full disk`() async throws {
        let disk = try await SmallDisk()
        for filling in [0, 1 << 20] {
            disk.fill(filling)
            let run = try await CommandRun.check(in: disk.folder)
            #expect(run.output.contains("warn  data      \(disk.path)  writable, but its disk has only "))
            #expect(
                run.output.contains(
                    "can't grow: its disk is full\n                → free some space (HEYBOT_DATA)"))
            #expect(run.status == 1)
        }
        try await disk.unmount()
    }

    @Test func `a file that can't grow`() async throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        let program = try #require(CommandRun.program).path
        shell.arguments = ["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" check", program]
        shell.environment = ["HEYBOT_DATA": home.url.path, "HOME": "/dev/null/nowhere"]
        let output = Pipe()
        shell.standardOutput = output
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(text.contains("FAIL  brain     \(home.url.path)/brain.sqlite  "), "\(text)")
        #expect(text.contains("→ free some space (HEYBOT_DATA)\n"), "\(text)")
        #expect(shell.terminationStatus == 1)
    }

    @Test func `without a data directory the brain isn't checked`() async throws {
        let run = try await check("--data", "/dev/null/heybot")
        #expect(
            run.output.contains(
                "FAIL  data      /dev/null/heybot  the data directory /dev/null/heybot can't be created\n"))
        #expect(
            run.output.contains(
                "→ check the permissions of its parent, or choose another directory with --data (HEYBOT_DATA)\n"))
        #expect(
            run.output.contains(
                "skip  brain     /dev/null/heybot/brain.sqlite  the data directory must be usable first\n"))
        #expect(run.status == 1)
    }

    @Test(.enabled(if: getuid() == 0)) func `root creates nothing in another user's data directory`() async throws {
        let folder = home.url.appending(path: "theirs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(chown(folder.path, 65_534, 65_534) == 0)
        let run = try await check("--data", folder.path)
        #expect(run.row("data", folder.path)?.fix == "run the check as the robot's user")
        #expect(run.row("brain", "\(folder.path)/brain.sqlite")?.mark == "skip")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(run.status == 0)
    }

    @Test(.enabled(if: getuid() == 0)) func `root warns about a new data directory`() async throws {
        let folder = home.url.appending(path: "new")
        let first = try await check("--data", folder.path)
        #expect(
            first.row("data", folder.path)
                == CheckRow(
                    "warn", "just created, owned by root",
                    fix:
                        "if the robot runs as another user, give the directory to that user (chown), and run the check as that user"
                ))
        #expect(first.status == 0)
        #expect(try await check("--data", folder.path).row("data", folder.path)?.mark == "ok")
    }

    @Test(.enabled(if: RedisServer.isInstalled))
    func `a healthy Redis, a wrong password, a replica, and an unreachable Redis`()
        async throws
    {
        let server = try await RedisServer.start(.init(password: "secret"))
        let place = "Redis at 127.0.0.1:\(server.port)"
        let good = try await check(
            environment: ["REDIS_URL": "redis://:secret@127.0.0.1:\(server.port)", "HEYBOT_REDIS_TIMEOUT": "600"])
        #expect(good.output.contains("ok    brain     \(place)  opened, written and read back\n"))
        #expect(good.status == 0)
        #expect(try await server.command("HLEN", "heybot:values") == "0")
        let wrong = try await check(
            environment: ["REDIS_URL": "redis://:hemmelig@127.0.0.1:\(server.port)", "HEYBOT_REDIS_TIMEOUT": "600"])
        #expect(wrong.output.contains("FAIL  brain     \(place)  \(place) rejected the password\n"))
        #expect(wrong.output.contains("→ check the user and password in the URL (HEYBOT_REDIS_URL)\n"))
        #expect(!(wrong.output + wrong.errors).contains("hemmelig"))
        #expect(wrong.status == 1)
        let replica = try await RedisServer.start(
            .init(replicaOf: server.port, settings: ["masterauth secret"]))
        let readOnly = try await check(
            environment: ["REDIS_URL": "redis://127.0.0.1:\(replica.port)", "HEYBOT_REDIS_TIMEOUT": "10"])
        // At the timeout, the change may be sent once more, and not answered yet.
        #expect(readOnly.output.contains("is a read-only replica"), "\(readOnly.output)")
        #expect(readOnly.output.contains("→ use the URL of the master or of the Sentinels (HEYBOT_REDIS_URL)\n"))
        #expect(readOnly.status == 1)
        await replica.stop()
        await server.stop()
        // At 127.0.0.1, the server of another test may have got the port by now.
        let away = try await check(
            environment: ["REDIS_URL": "redis://:secret@127.0.0.9:\(server.port)", "HEYBOT_REDIS_TIMEOUT": "10"])
        #expect(away.output.contains("can't be reached (connection refused)\n                → check host and port"))
        #expect(away.errors == "")
        #expect(away.status == 1)
    }

    @Test(.enabled(if: RedisServer.isInstalled)) func `a Redis with an untrusted certificate`() async throws {
        let server = try await RedisServer.start(.init(hasTLS: true))
        let url = ["REDIS_URL": "rediss://localhost:\(try #require(server.tlsPort))", "HEYBOT_REDIS_TIMEOUT": "600"]
        let unknown = try await check(environment: url)
        #expect(unknown.output.contains("is signed by an unknown authority\n"), "\(unknown.output)")
        #expect(
            unknown.output.contains("use its CA certificate as the CA file (HEYBOT_REDIS_CA_FILE)\n"),
            "\(unknown.output)")
        #expect(unknown.status == 1)
        let known = try await check(environment: url.merging(["HEYBOT_REDIS_CA_FILE": server.caFile ?? ""]) { $1 })
        #expect(known.status == 0, "\(known.output)")
        await server.stop()
    }

    // MARK: The web, and other robots

    @Test func `a port in use, and a free one`() async throws {
        let listener = try ScriptedIRCServer()
        let environment = ["HEYBOT_BIND_ADDRESS": "127.0.0.1"]
        let taken = try await check(environment: environment.merging(["PORT": "\(listener.port)"]) { $1 })
        #expect(taken.output.contains("FAIL  web       127.0.0.1:\(listener.port)  "))
        #expect(
            taken.output.contains(
                "the port is in use\n                → set PORT to another port, or disable the server with -d"))
        #expect(taken.status == 1)
        #expect(listener.connections == 0)
        let named = try await check(environment: environment.merging(["HEYBOT_PORT": "\(listener.port)"]) { $1 })
        #expect(named.output.contains("→ set HEYBOT_PORT to another port, or"), "\(named.output)")
        try home.write("{ httpd: {\nport: \(listener.port) } }", to: "heybot.json")
        let filed = try await check(environment: environment)
        #expect(filed.output.contains("→ set httpd.port in heybot.json:2 to another port, or"), "\(filed.output)")
        try home.write("{}", to: "heybot.json")
        let port = try Port.free()
        let free = try await check(environment: environment.merging(["PORT": "\(port)"]) { $1 })
        #expect(free.output.contains("ok    web       127.0.0.1:\(port)  the port is free\n"))
        #expect(
            try await check("-d", environment: ["PORT": "\(listener.port)"]).output.contains(
                "skip  web       disabled\n")
        )
    }

    @Test func `nothing is sent to another program that has the port`() async throws {
        let listener = try ScriptedIRCServer()
        let environment = [
            "HEYBOT_BIND_ADDRESS": "127.0.0.1", "HEYBOT_HTTPD_USER": "ada", "HEYBOT_HTTPD_PASSWORD": "hemmelig"
        ]
        let robot = try CommandRun.start(
            in: home.url, environment: environment.merging(["PORT": "\(try Port.free())"]) { $1 })
        defer { if robot.isRunning { robot.kill(SIGKILL) } }
        robot.waitForError("the web server is listening on")
        let run = try await check(environment: environment.merging(["PORT": "\(listener.port)"]) { $1 })
        #expect(run.output.contains("ok    robot     a robot is running with this data; the check didn't disturb it\n"))
        #expect(run.row("web", "127.0.0.1:\(listener.port)")?.mark == "FAIL", "\(run.output)")
        #expect(listener.connections == 0)
        #expect(run.status == 1)
        robot.end()
    }

    @Test func `a running robot keeps its port`() async throws {
        let port = try Port.free()
        let environment = ["PORT": "\(port)", "HEYBOT_BIND_ADDRESS": "127.0.0.1"]
        let robot = try CommandRun.start(in: home.url, environment: environment)
        defer { if robot.isRunning { robot.kill(SIGKILL) } }
        robot.waitForError("the web server is listening on")
        let run = try await check(environment: environment)
        #expect(run.output.contains("ok    robot     a robot is running with this data; the check didn't disturb it\n"))
        #expect(
            run.output.contains("ok    web       127.0.0.1:\(port)  in use by the robot that runs with this data\n"))
        #expect(run.status == 0)
        try robot.type("ping\n")
        #expect(robot.read() == "PONG\n")
        robot.end()
    }
}

/// A file system that is too small for a brain.
private final class SmallDisk {
    static let isPossible: Bool = {
        guard getuid() == 0, let disk = try? TemporaryFolder() else { return false }
        let isMounted = mount("none", disk.url.path, "tmpfs", 0, "size=16k") == 0
        return isMounted && umount(disk.url.path) == 0
    }()

    let folder: TemporaryFolder
    var path: String { folder.url.path }

    init() async throws {
        folder = try TemporaryFolder()
        guard mount("none", path, "tmpfs", 0, "size=48k") == 0 else {
            throw TestServerError.failed("a small disk can't be mounted")
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Writes that many bytes to it, or until it is full.
    func fill(_ count: Int) {
        _ = FileManager.default.createFile(atPath: "\(path)/fill", contents: nil)
        guard let file = FileHandle(forWritingAtPath: "\(path)/fill") else { return }
        for _ in 0..<(count / 4_096) where (try? file.write(contentsOf: Data(count: 4_096))) == nil { return }
    }

    func unmount() async throws { umount(path) }
}
