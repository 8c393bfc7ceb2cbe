import Foundation
import Testing

@testable import HeybotCommand

/// Tests of the files that `heybot new` creates; Tests/NewBots/run tests that they build and answer.
@Suite(.blocking, .timeLimit(.minutes(15))) struct NewTests {
    private let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    private func files(in folder: String) throws -> Set<String> {
        let found = FileManager.default.enumerator(atPath: home.url.appending(path: folder).path)
        return Set((found?.compactMap { $0 as? String } ?? []).filter { !$0.hasSuffix("/") })
    }

    @Test func `a bot is a directory of settings and scripts`() throws {
        let run = try CommandRun(arguments: ["new", "marvin"], in: home.url, at: home.url)
        #expect(run.output.hasPrefix("Created marvin. Run marvin/bin/heybot to chat with it.\n"))
        #expect(run.status == 0)
        let files = try files(in: "marvin")
        for file in [
            "heybot.json", "Scripts/Hello.swift", "Procfile", "Dockerfile", "README.md", "bin/heybot", ".gitignore",
            ".heybot/Package.swift", ".heybot/Scripts"
        ] { #expect(files.contains(file)) }
        #expect(!files.contains("Package.swift") && !files.contains("Tests"))
        let settings = SettingsFile(
            "heybot.json", Array(try Data(contentsOf: home.url.appending(path: "marvin/heybot.json"))))
        #expect(settings.problems == [])
        #expect(settings.entries["name"]?.text == "marvin")
        let procfile = try String(contentsOf: home.url.appending(path: "marvin/Procfile"), encoding: .utf8)
        #expect(procfile.hasSuffix("\napp: bin/heybot -a shell\n"))
        // Any JSON parser can read the file.
        let json = try Data(contentsOf: home.url.appending(path: "marvin/heybot.json"))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: json) }
    }

    @Test(arguments: [true, false]) func `it contains no absolute paths, and its versions can be pinned`(
        _ isPackage: Bool
    ) throws {
        let run = try CommandRun(
            arguments: ["new"] + (isPackage ? ["--package"] : []) + ["marvin"], in: home.url, at: home.url)
        let sources = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        let place = try #require(run.output.firstMatch(of: #/Heybot's sources must be at (\S+), relative/#)?.1)
        #expect(place.hasPrefix("../"))
        let folder = home.url.appending(path: "marvin")
        #expect(folder.appending(path: String(place)).standardized.path == sources)
        for name in try files(in: "marvin") {
            guard let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else { continue }
            #expect(!text.replacing(place, with: "PLACE").contains(sources), "\(name)")
            #expect(!text.contains(home.url.path), "\(name)")
            if name == ".gitignore" { #expect(!text.contains("Package.resolved")) }
            if name.hasSuffix("Package.swift") {
                #expect(text.contains("?? \"\(isPackage ? place : "../" + place)\""))
            }
        }
    }

    @Test func `the module cache is cleared only after a move`() throws {
        let cache = home.url.appending(path: ".build/x/release/ModuleCache")
        let script = URL(filePath: #filePath).appending(path: "../../../bin/setup.bash").standardized.path
        func forget() throws -> String {
            try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
            let (process, errors) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-euc", ". \(script); clear_moved_cache '\(home.url.path)/.build'"]
            process.standardError = errors
            try process.run()
            let said = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: said, as: UTF8.self)
        }
        var isThere: Bool { FileManager.default.fileExists(atPath: cache.path) }
        #expect(try forget() == "" && !isThere)
        #expect(try forget() == "" && isThere)
        try home.write("/elsewhere\n", to: ".build/heybot.place")
        #expect(
            try forget() == "heybot: this directory was moved from /elsewhere: rebuilding the compiler's module cache\n"
        )
        #expect(!isThere)
    }

    @Test func `or a package with a test`() throws {
        try #require(try CommandRun(arguments: ["new", "--package", "marvin"], in: home.url, at: home.url).status == 0)
        let files = try files(in: "marvin")
        for file in [
            "heybot.json", "Scripts/Hello.swift", "Procfile", "Dockerfile", "Package.swift", "Sources/Bot/main.swift",
            "Tests/BotTests/HelloTests.swift", "bin/test"
        ] { #expect(files.contains(file)) }
        #expect(!files.contains(".heybot"))
    }

    @Test func `Heybot may come from a URL`() throws {
        let url = "https://example.org/bots/Heybot.git"
        let bot = BotTemplate(name: "marvin", heybot: .url(url), isPackage: true)
        let manifest = try #require(bot.files.first { $0.path == "Package.swift" }).text
        #expect(manifest.contains("url: \"\(url)\", branch: \"main\","))
        #expect(manifest.contains("package: \"heybot\""))
        let docker = try #require(bot.files.first { $0.path == "Dockerfile" }).text
        #expect(!docker.contains("--from=heybot") && !docker.contains("build-context"))
        try #require(
            try CommandRun(arguments: ["new", "--heybot", url, "marvin"], in: home.url, at: home.url).status == 0)
        let none = try CommandRun(arguments: ["new", "--heybot", "/nowhere", "other"], in: home.url, at: home.url)
        #expect(none.errors == "heybot: /nowhere doesn't contain Heybot's sources: set --heybot to their directory\n")
        #expect(none.status == 64)
    }

    @Test func `a program without its sources says what to pass`() throws {
        let program = try #require(CommandRun.program)
        let copy = home.url.appending(path: "heybot")
        try copyProgram(program, to: copy)
        let run = try CommandRun(arguments: ["new", "marvin"], in: home.url, at: home.url, program: copy)
        #expect(
            run.errors == "heybot: Heybot's sources weren't found: pass --heybot PATH, the directory of a "
                + "checkout of Heybot, or --heybot URL, its Git repository\n")
        #expect(run.status == 64)
    }

    @Test func `its container is made like Heybot's own`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let ours = try String(contentsOf: folder.appending(path: "../../Dockerfile"), encoding: .utf8)
        let bot = BotTemplate(name: "marvin", heybot: .url("https://example.org/heybot"), isPackage: true)
        let its = try #require(bot.files.first { $0.path == "Dockerfile" }).text
        // Except for the build stage, the copied files, and comments.
        let stage = try #require(ours.range(of: " AS heroku\n")).upperBound
        let lines = ours[stage...].split(separator: "\n").filter { line in
            !["#", "LABEL", "COPY", "FROM", "    org."].contains { line.hasPrefix($0) }
        }
        #expect(lines.count > 10)
        for line in lines { #expect(its.contains(line + "\n")) }
    }

    @Test func `nothing is overwritten, and invalid names are refused`() throws {
        try home.write("mine", to: "file")
        let taken = try CommandRun(arguments: ["new", home.url.path], in: home.url)
        #expect(taken.errors == "heybot: \(home.url.path) exists and isn't empty: choose another directory\n")
        #expect(taken.status == 73)
        for name in ["a b", "$(x)", "\"", "/"] {
            let run = try CommandRun(arguments: ["new", name], in: home.url, at: home.url)
            #expect(run.errors.contains(" isn't a valid bot name"))
            #expect(run.status == 64)
        }
        let file = try CommandRun(arguments: ["new", "file/bot"], in: home.url, at: home.url)
        #expect(file.errors == "heybot: file/bot can't be written: check the permissions of its parent\n")
        #expect(file.status == 73)
    }
}
