import Foundation
import Testing

@testable import HeybotCommand

/// What `heybot new` makes; that it builds and answers is seen to by Tests/NewBots/run.
@Suite(.timeLimit(.minutes(15))) struct NewTests {
    private let home: Folder

    init() throws { home = try Folder() }

    private func files(in folder: String) throws -> Set<String> {
        let found = FileManager.default.enumerator(atPath: home.url.appending(path: folder).path)
        return Set((found?.compactMap { $0 as? String } ?? []).filter { !$0.hasSuffix("/") })
    }

    @Test func `a bot is a folder of settings and scripts`() throws {
        let run = try Run(arguments: ["new", "marvin"], in: home.url, at: home.url)
        #expect(run.output.hasPrefix("Created marvin. Run marvin/bin/heybot to chat with it;"))
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
        // Every editor takes it for what its name says.
        let json = try Data(contentsOf: home.url.appending(path: "marvin/heybot.json"))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: json) }
    }

    @Test(arguments: [true, false]) func `no path of this machine is in it, and its versions can be kept`(
        _ isPackage: Bool
    ) throws {
        let run = try Run(
            arguments: ["new"] + (isPackage ? ["--package"] : []) + ["marvin"], in: home.url, at: home.url)
        let sources = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        let place = try #require(run.output.firstMatch(of: #/Heybot's sources at (\S+) too/#)?.1)
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

    @Test func `a folder that was moved gets its module cache made again, and only then`() throws {
        let cache = home.url.appending(path: ".build/x/release/ModuleCache")
        let script = URL(filePath: #filePath).appending(path: "../../../bin/setup.bash").standardized.path
        func forget() throws -> String {
            try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
            let (process, errors) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments = ["-euc", ". \(script); forget_place '\(home.url.path)'"]
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
        #expect(try forget() == "heybot: this folder was at /elsewhere: making the compiler's module cache again\n")
        #expect(!isThere)
    }

    @Test func `or a package with a test`() throws {
        try #require(try Run(arguments: ["new", "--package", "marvin"], in: home.url, at: home.url).status == 0)
        let files = try files(in: "marvin")
        for file in [
            "heybot.json", "Scripts/Hello.swift", "Procfile", "Dockerfile", "Package.swift", "Sources/Bot/main.swift",
            "Tests/BotTests/HelloTests.swift"
        ] { #expect(files.contains(file)) }
        #expect(!files.contains(".heybot"))
    }

    @Test func `Heybot may come from elsewhere`() throws {
        let url = "https://example.org/bots/Heybot.git"
        let bot = NewBot(name: "marvin", heybot: .url(url), isPackage: true)
        let manifest = try #require(bot.files.first { $0.path == "Package.swift" }).text
        #expect(manifest.contains(".package(url: \"\(url)\", branch: \"main\")"))
        #expect(manifest.contains("package: \"heybot\""))
        let docker = try #require(bot.files.first { $0.path == "Dockerfile" }).text
        #expect(!docker.contains("--from=heybot") && !docker.contains("build-context"))
        try #require(try Run(arguments: ["new", "--heybot", url, "marvin"], in: home.url, at: home.url).status == 0)
        let none = try Run(arguments: ["new", "--heybot", "/nowhere", "other"], in: home.url, at: home.url)
        #expect(none.errors == "heybot: /nowhere has no Heybot in it: give --heybot its sources\n")
        #expect(none.status == 64)
    }

    @Test func `a program away from its sources says what to pass`() throws {
        let program = try #require(Run.program)
        let copy = home.url.appending(path: "heybot")
        try FileManager.default.copyItem(at: program, to: copy)
        let run = try Run(arguments: ["new", "marvin"], in: home.url, at: home.url, program: copy)
        #expect(
            run.errors == "heybot: this heybot was moved away from its sources: pass --heybot PATH, the folder of a "
                + "checkout of Heybot, or --heybot URL, its Git repository\n")
        #expect(run.status == 64)
    }

    @Test func `its container is made like Heybot's own`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let ours = try String(contentsOf: folder.appending(path: "../../Dockerfile"), encoding: .utf8)
        let bot = NewBot(name: "marvin", heybot: .url("https://example.org/heybot"), isPackage: true)
        let its = try #require(bot.files.first { $0.path == "Dockerfile" }).text
        // But for the stage of the build, for what is copied, and for notes.
        let stage = try #require(ours.range(of: " AS heroku\n")).upperBound
        let lines = ours[stage...].split(separator: "\n").filter { line in
            !["#", "LABEL", "COPY", "FROM", "    org."].contains { line.hasPrefix($0) }
        }
        #expect(lines.count > 10)
        for line in lines { #expect(its.contains(line + "\n")) }
    }

    @Test func `nothing is overwritten, and odd names are refused`() throws {
        try home.write("mine", to: "file")
        let taken = try Run(arguments: ["new", home.url.path], in: home.url)
        #expect(taken.errors == "heybot: \(home.url.path) is there already, and isn't empty: choose another folder\n")
        #expect(taken.status == 73)
        for name in ["a b", "$(x)", "\"", "/"] {
            let run = try Run(arguments: ["new", name], in: home.url, at: home.url)
            #expect(run.errors.contains("a bot can't be named "))
            #expect(run.status == 64)
        }
        let file = try Run(arguments: ["new", "file/bot"], in: home.url, at: home.url)
        #expect(file.errors == "heybot: file/bot can't be written: check its parent's permissions\n")
        #expect(file.status == 73)
    }
}
