import FoundationEssentials
import Heybot

/// Finds scripts in a Hubot directory, which don't run in Heybot.
struct HubotScriptFinder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// A warning if the directory has Hubot scripts, which are JavaScript or CoffeeScript.
    func check() -> [PreflightResult] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path + "/scripts")) ?? []
        let scripts = files.filter { name in [".coffee", ".js", ".mjs"].contains { name.hasSuffix($0) } }.sorted()
        let packages = ["external-scripts.json", "hubot-scripts.json"].flatMap(packages)
        guard !scripts.isEmpty || !packages.isEmpty else { return [] }
        var found = scripts.prefix(3).map { "scripts/\($0)" }
        if scripts.count > 3 { found.append("\(scripts.count - 3) more files") }
        if !packages.isEmpty {
            let names = packages.prefix(5).joined(separator: ", ") + (packages.count > 5 ? ", …" : "")
            found.append("\(packages.count) package\(packages.count == 1 ? "" : "s") (\(names))")
        }
        return [
            PreflightResult(
                "Hubot",
                .warned(
                    "this directory has Hubot scripts, which don't run in Heybot: \(found.joined(separator: ", "))",
                    fix: "see the guide \"Moving from Hubot\" for replacements, and for how to port the rest"))
        ]
    }

    private func packages(in file: String) -> [String] {
        guard let data = try? Data(contentsOf: URL(filePath: "\(path)/\(file)")), data.count <= 1 << 20 else {
            return []
        }
        return (try? JSONDecoder().decode([String].self, from: data)) ?? []
    }
}
