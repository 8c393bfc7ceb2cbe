import FoundationEssentials
package import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The Hubot scripts to run: files, and packages.
package struct HubotFiles: Hashable, Sendable {
    /// The endings of the files that are scripts.
    package static let endings = [".coffee", ".litcoffee", ".coffee.md", ".js", ".cjs", ".mjs", ".ts", ".mts"]

    /// The files, in load order.
    package private(set) var scripts: [ScriptFile] = []
    /// The packages, each with its options; nil if they are a list without options.
    package private(set) var packages: [(name: String, options: JSONValue?)] = []
    /// The folder that the scripts run in, and that packages are looked up from.
    package let folder: String
    /// What to tell the operator, a line each: packages that aren't loaded, and why.
    package private(set) var notes: [String] = []

    package var isEmpty: Bool { scripts.isEmpty && packages.isEmpty }

    /// Creates an empty list.
    ///
    /// - Parameter folder: The folder that the scripts run in.
    package init(in folder: String) { self.folder = Self.realPath(folder) ?? folder }

    // MARK: Paths

    /// Adds a script, or all scripts of a folder, sorted by name.
    ///
    /// - Throws: ``HubotFilesError`` if there is none.
    package mutating func add(path: String) throws(HubotFilesError) {
        let full = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        guard let real = Self.realPath(full) else { throw HubotFilesError(path, "there is no such file or folder") }
        if !Self.isFolder(real) {
            guard Self.isScript(real) else {
                throw HubotFilesError(
                    path, "it isn't a script: the name must end in \(Self.endings.joined(separator: ", "))")
            }
            return add(file: real)
        }
        let names = Self.names(in: real).filter(Self.isScript)
        guard !names.isEmpty else {
            throw HubotFilesError(path, "the folder has no scripts (\(Self.endings.joined(separator: ", ")))")
        }
        for name in names { add(folder: real, name: name) }
    }

    /// Adds what belongs to a Hubot's folder: `scripts`, `src/scripts` and the packages; does nothing in other folders.
    ///
    /// - Parameter covers: What does a package's job in this robot, by the package's name; nil if nothing does.
    package mutating func addHubotFolder(covers: (String) -> String?) {
        guard Self.isHubotFolder(folder) else { return }
        for place in ["scripts", "src/scripts"].compactMap({ Self.realPath("\(folder)/\($0)") }) {
            for name in Self.names(in: place).filter(Self.isScript) { add(folder: place, name: name) }
        }
        addOldScripts()
        switch Self.json(at: "\(folder)/external-scripts.json") {
        case nil: break
        case .array(let names): for name in names.compactMap(\.stringValue) { add(package: name, options: nil, covers) }
        case .object(let names):
            for (name, options) in names.sorted(by: { $0.key < $1.key }) {
                add(package: name, options: options, covers)
            }
        case .null, .bool, .integer, .number, .string:
            notes.append("external-scripts.json must contain a list of packages; no package was loaded")
        }
    }

    /// Whether a folder is that of a Hubot.
    package static func isHubotFolder(_ folder: String) -> Bool {
        if ["external-scripts.json", "hubot-scripts.json"].contains(where: { isFile("\(folder)/\($0)") }) {
            return true
        }
        return json(at: "\(folder)/package.json")?["dependencies"].members["hubot"] != nil
    }

    /// Adds the scripts of the package hubot-scripts that hubot-scripts.json names.
    private mutating func addOldScripts() {
        guard case .array(let names) = Self.json(at: "\(folder)/hubot-scripts.json") else { return }
        for name in names.compactMap(\.stringValue) where !["redis-brain.coffee", "shipit.coffee"].contains(name) {
            if let path = Self.realPath("\(folder)/node_modules/hubot-scripts/src/scripts/\(name)") {
                add(file: path)
            } else {
                notes.append("\(name) in hubot-scripts.json wasn't loaded: run npm install hubot-scripts")
            }
        }
    }

    private mutating func add(package name: String, options: JSONValue?, _ covers: (String) -> String?) {
        if let other = covers(name) {
            notes.append("the package \(name) wasn't loaded, because \(other) replaces it")
        } else {
            packages.append((name, options))
        }
    }

    private mutating func add(folder: String, name: String) {
        if let path = Self.realPath("\(folder)/\(name)"), !Self.isFolder(path) { add(file: path) }
    }

    private mutating func add(file path: String) {
        guard !scripts.contains(where: { $0.path == path }) else { return }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        var id = name
        var number = 2
        while scripts.contains(where: { $0.id == id }) {
            id = "\(name) (\(number))"
            number += 1
        }
        scripts.append(ScriptFile(id: id, path: path))
    }

    /// The packages as the host gets them; nil if there are none.
    package var external: RobotMessage.External? {
        guard !packages.isEmpty else { return nil }
        let hasOptions = packages.contains { $0.options != nil }
        let names: JSONValue =
            hasOptions
            ? .object(Dictionary(packages.map { ($0.name, $0.options ?? .null) }, uniquingKeysWith: { $1 }))
            : .array(packages.map { .string($0.name) })
        return RobotMessage.External(folder: folder, packages: names)
    }

    // MARK: The disk

    private static func isScript(_ name: String) -> Bool {
        // Declarations of types aren't scripts.
        endings.contains { name.hasSuffix($0) } && !name.hasSuffix(".d.ts") && !name.hasSuffix(".d.mts")
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    private static func isFile(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path) && !isFolder(path)
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// A small file's JSON; nil if there is no such file, or it isn't JSON.
    private static func json(at path: String) -> JSONValue? {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 1 << 20 else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: data)
    }

    package static func == (one: HubotFiles, other: HubotFiles) -> Bool {
        one.scripts == other.scripts && one.external == other.external && one.folder == other.folder
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(scripts) }
}

/// A path that has no scripts.
package struct HubotFilesError: Error, Hashable, CustomStringConvertible {
    /// The path.
    package let path: String
    /// The reason.
    package let reason: String

    init(_ path: String, _ reason: String) { (self.path, self.reason) = (path, reason) }

    package var description: String { "can't load scripts from \(path): \(reason)" }
}
