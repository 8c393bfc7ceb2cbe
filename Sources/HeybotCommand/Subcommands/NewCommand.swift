import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `heybot new`: creates the directory of a user's own bot.
struct NewCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create your own bot: a directory with settings and scripts.")

    @ParentCommand var root: Command
    @OptionGroup var flags: NoSettingOptions
    @Argument(help: "The directory to create; its name is the bot's name too.", completion: .directory) var folder:
        String

    @Flag(help: "Create a Swift package with a test.")
    var package = false

    @Option(
        help: ArgumentHelp("The location of Heybot's sources: a directory or a Git URL.", valueName: "source"),
        completion: .directory)
    var heybot: String?

    func run() async throws {
        let folder = absolute(folder)
        let name = folder.split(separator: "/").last.map(String.init) ?? ""
        guard name.wholeMatch(of: /[\p{L}\p{N}][\p{L}\p{N}._-]*/) != nil else {
            throw ExitError(
                "\"\(name)\" isn't a valid bot name: use letters, digits, dots, dashes and underscores", EX_USAGE)
        }
        if let found = try? FileManager.default.contentsOfDirectory(atPath: folder), !found.isEmpty {
            throw ExitError("\(self.folder) exists and isn't empty: choose another directory", EX_CANTCREAT)
        }
        let source = try source()
        // It becomes part of shell scripts and manifests.
        guard source.text.unicodeScalars.allSatisfy({ !"\"'$`\\".unicodeScalars.contains($0) && $0.value >= 0x20 })
        else {
            throw ExitError("the location of Heybot can't contain quotes, $ or \\: \(source.text)", EX_USAGE)
        }
        let bot = BotTemplate(name: name, heybot: source.seen(from: folder), isPackage: package)
        do {
            for file in bot.files { try write(file, in: folder) }
            if !package {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/.heybot/Scripts", withDestinationPath: "../Scripts")
            }
        } catch {
            throw ExitError("\(self.folder) can't be written: check the permissions of its parent", EX_CANTCREAT)
        }
        try StandardOutput.writeLine("Created \(self.folder). Run \(self.folder)/bin/heybot to chat with it.")
        if case .folder(let path) = bot.heybot {
            try StandardOutput.writeLine(
                "To build the bot elsewhere, Heybot's sources must be at \(path), relative to the bot's directory; see README.md."
            )
        }
    }

    private func write(_ file: BotTemplate.File, in folder: String) throws {
        let path = folder + "/" + file.path
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        try FileManager.default.createDirectory(atPath: String(parent), withIntermediateDirectories: true)
        try Data(file.text.utf8).write(to: URL(filePath: path))
        if file.isExecutable { chmod(path, 0o755) }
    }

    /// The location of Heybot: the option's value, or the sources from which this program was built.
    private func source() throws -> BotTemplate.PackageLocation {
        if let heybot {
            if heybot.contains("://") || heybot.hasPrefix("git@") { return .url(heybot) }
            let folder = absolute(heybot)
            guard isHeybot(folder) else {
                throw ExitError("\(heybot) doesn't contain Heybot's sources: set --heybot to their directory", EX_USAGE)
            }
            return .folder(folder)
        }
        var folder =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            if isHeybot(folder) { return .folder(folder) }
        }
        throw ExitError(
            "Heybot's sources weren't found: pass --heybot PATH, the directory of a checkout of Heybot, or "
                + "--heybot URL, its Git repository", EX_USAGE)
    }

    private func isHeybot(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/Sources/HeybotCommand")
    }

    /// The absolute path, without `.` and `..`.
    private func absolute(_ path: String) -> String {
        let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var parts: [Substring] = []
        for part in full.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension BotTemplate.PackageLocation {
    /// A directory's path relative to another one, both absolute before; a URL unchanged.
    fileprivate func seen(from folder: String) -> Self {
        guard case .folder(let path) = self else { return self }
        let (to, from) = (path.split(separator: "/"), folder.split(separator: "/"))
        let shared = zip(to, from).prefix { $0 == $1 }.count
        let parts = from.dropFirst(shared).map { _ in ".." } + to.dropFirst(shared).map(String.init)
        return .folder(parts.isEmpty ? "." : parts.joined(separator: "/"))
    }
}
