import Foundation
import HeybotSupport
import TestServers
import Testing

@testable import HubotHost

/// Which scripts are found in folders.
@Suite struct FindingTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test func `a folder's scripts are sorted by name`() throws {
        let kinds = ["z.coffee", "b.litcoffee", "c.coffee.md", "d.js", "e.cjs", "f.mjs", "g.ts", "h.mts"]
        try folder.makeFolder("scripts/folder.js")
        for name in kinds + ["readme.md", ".hidden.js", "types.d.ts", "a.json"] {
            try folder.write("", to: "scripts/\(name)")
        }
        var files = HubotFiles(in: folder.path)
        try files.add(path: "scripts")
        #expect(files.scripts.map(\.id) == kinds.sorted())
        #expect(files.scripts.allSatisfy { $0.path.hasPrefix("/") })
        // The same file again, by a link and by its own name.
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("scripts"))
        try files.add(path: "link/d.js")
        #expect(files.scripts.count == kinds.count)
        try folder.write("", to: "d.js")
        try files.add(path: "d.js")
        #expect(files.scripts.last?.id == "d.js (2)")
    }

    @Test func `a path without scripts is an error`() throws {
        try folder.makeFolder("empty")
        try folder.write("", to: "note.txt")
        func problem(_ path: String) -> String {
            var files = HubotFiles(in: folder.path)
            do {
                try files.add(path: path)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(problem("gone") == "can't load scripts from gone: there is no such file or folder")
        #expect(problem("empty").hasPrefix("can't load scripts from empty: the folder has no scripts (.coffee, "))
        #expect(problem("note.txt").hasPrefix("can't load scripts from note.txt: it isn't a script: "))
    }

    @Test func `a Hubot's folder`() throws {
        try folder.makeFolder("scripts")
        try folder.write("", to: "scripts/a.coffee")
        var files = HubotFiles(in: folder.path)
        files.addHubotFolder { _ in nil }
        #expect(files.isEmpty)
        try folder.write(#"{"dependencies": {"hubot": "^3.0.0"}}"#, to: "package.json")
        try folder.write(#"["hubot-help", "hubot-tea", "hubot-redis-brain"]"#, to: "external-scripts.json")
        try folder.write(#"["old.coffee", "redis-brain.coffee", "gone.coffee"]"#, to: "hubot-scripts.json")
        try folder.makeFolder("node_modules/hubot-scripts/src/scripts")
        try folder.write("", to: "node_modules/hubot-scripts/src/scripts/old.coffee")
        try folder.makeFolder("src/scripts")
        try folder.write("", to: "src/scripts/b.js")
        files.addHubotFolder { CoveredPackages.cover(of: $0, in: ["Help"]) }
        #expect(files.scripts.map(\.id) == ["a.coffee", "b.js", "old.coffee"])
        #expect(files.external?.packages == .array([.string("hubot-tea")]))
        #expect(
            files.notes == [
                "gone.coffee in hubot-scripts.json wasn't loaded: run npm install hubot-scripts",
                "the package hubot-help wasn't loaded, because the script Help replaces it",
                "the package hubot-redis-brain wasn't loaded, because the robot's brain replaces it"
            ])
    }

    @Test func `the program in the binary is the one in the folder`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/HubotHost/JavaScript")
        let names = try FileManager.default.contentsOfDirectory(atPath: source.path).sorted()
        #expect(EmbeddedText.all.map(\.name) == names)
        let main = try HubotProgram.install(in: folder.path("program"))
        #expect(main.hasSuffix("/main.js"))
        for (name, text) in EmbeddedText.all {
            let written = try Data(contentsOf: URL(filePath: main).deletingLastPathComponent().appending(path: name))
            #expect(written == Data(text.utf8))
            #expect(try Data(contentsOf: source.appending(path: name)) == written)
        }
        #expect(try HubotProgram.install(in: folder.path("program")) == main)
    }

    @Test func `help lines`() {
        let help = RespondAndHearHelpLines(
            ["hubot ping - Answers", "Marvin: tea", "<thing>++ - Counts", "hubots are many", ""], robotName: "Marvin")
        #expect(help.commands == ["ping - Answers", "tea"])
        #expect(help.others == ["<thing>++ - Counts", "hubots are many"])
    }
}
