import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot new`: makes the folder of a bot of one's own.
struct New: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a bot of your own: a folder with its settings and scripts.")

    @ParentCommand var root: Command
    @OptionGroup var flags: NoOptions
    @Argument(help: "The folder to make; the bot is named like it.", completion: .directory) var folder: String

    @Flag(help: "Make a Swift package, with a test.")
    var package = false

    @Option(
        help: ArgumentHelp("Where Heybot's sources are, a folder or a Git URL.", valueName: "source"),
        completion: .directory)
    var heybot: String?

    func run() async throws {
        let folder = absolute(folder)
        let name = folder.split(separator: "/").last.map(String.init) ?? ""
        guard name.wholeMatch(of: /[\p{L}\p{N}][\p{L}\p{N}._-]*/) != nil else {
            throw Failure(
                "a bot can't be named \"\(name)\": letters, digits, dots, dashes and underscores will do", EX_USAGE)
        }
        if let found = try? FileManager.default.contentsOfDirectory(atPath: folder), !found.isEmpty {
            throw Failure("\(self.folder) is there already, and isn't empty: choose another folder", EX_CANTCREAT)
        }
        let source = try source()
        // It comes to stand in scripts and manifests.
        guard source.text.unicodeScalars.allSatisfy({ !"\"'$`\\".unicodeScalars.contains($0) && $0.value >= 0x20 })
        else {
            throw Failure("quotes, $ and \\ can't be in where Heybot is: \(source.text)", EX_USAGE)
        }
        let bot = NewBot(name: name, heybot: source.seen(from: folder), isPackage: package)
        do {
            for file in bot.files { try write(file, in: folder) }
            if !package {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/.heybot/Scripts", withDestinationPath: "../Scripts")
            }
        } catch {
            throw Failure("\(self.folder) can't be written: check its parent's permissions", EX_CANTCREAT)
        }
        try StandardOutput.writeLine(
            """
            Created \(self.folder). Run \(self.folder)/bin/heybot to chat with it; the first build takes some 20 minutes of \
            processor time.
            """)
        if case .folder(let path) = bot.heybot {
            try StandardOutput.writeLine(
                "Whoever builds it elsewhere needs Heybot's sources at \(path) too, as seen from there; README.md says more."
            )
        }
    }

    private func write(_ file: NewBot.File, in folder: String) throws {
        let path = folder + "/" + file.path
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        try FileManager.default.createDirectory(atPath: String(parent), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: URL(filePath: path))
        if file.isExecutable { chmod(path, 0o755) }
    }

    /// Where Heybot comes from: what was said, or the sources this program was built in.
    private func source() throws -> NewBot.Source {
        if let heybot {
            if heybot.contains("://") || heybot.hasPrefix("git@") { return .url(heybot) }
            let folder = absolute(heybot)
            guard isHeybot(folder) else {
                throw Failure("\(heybot) has no Heybot in it: give --heybot its sources", EX_USAGE)
            }
            return .folder(folder)
        }
        var folder =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            if isHeybot(folder) { return .folder(folder) }
        }
        throw Failure(
            "this heybot was moved away from its sources: pass --heybot PATH, the folder of a checkout of Heybot, or "
                + "--heybot URL, its Git repository", EX_USAGE)
    }

    private func isHeybot(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/Sources/HeybotCommand")
    }

    /// The path from the root, without `.` and `..`.
    private func absolute(_ path: String) -> String {
        let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var parts: [Substring] = []
        for part in full.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension NewBot.Source {
    /// A folder by its path from another, both given from the root; a URL as it is.
    fileprivate func seen(from folder: String) -> Self {
        guard case .folder(let path) = self else { return self }
        let (to, from) = (path.split(separator: "/"), folder.split(separator: "/"))
        let shared = zip(to, from).prefix { $0 == $1 }.count
        let parts = from.dropFirst(shared).map { _ in ".." } + to.dropFirst(shared).map(String.init)
        return .folder(parts.isEmpty ? "." : parts.joined(separator: "/"))
    }
}
