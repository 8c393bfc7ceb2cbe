import FoundationEssentials
import Heybot

/// A Hubot's folder: what of it doesn't run in Heybot.
struct HubotFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// A row if there are scripts of a Hubot's; they are JavaScript or CoffeeScript, and only standard scripts run here.
    func check() -> [CheckStep] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path + "/scripts")) ?? []
        let scripts = files.filter { name in [".coffee", ".js", ".mjs"].contains { name.hasSuffix($0) } }.sorted()
        let packages = ["external-scripts.json", "hubot-scripts.json"].flatMap(packages)
        guard !scripts.isEmpty || !packages.isEmpty else { return [] }
        var found = scripts.prefix(3).map { "scripts/\($0)" }
        if scripts.count > 3 { found.append("\(scripts.count - 3) more files") }
        if !packages.isEmpty {
            found.append(
                "\(packages.count) package\(packages.count == 1 ? "" : "s") (\(packages.prefix(5).joined(separator: ", "))\(packages.count > 5 ? ", …" : ""))"
            )
        }
        return [
            CheckStep(
                "Hubot",
                .warned(
                    "here are a Hubot's scripts, which don't run in Heybot: \(found.joined(separator: ", "))",
                    cure: "see \"Moving from Hubot\" in the guide for what does the same, and how to port the rest"))
        ]
    }

    private func packages(in file: String) -> [String] {
        guard let data = try? Data(contentsOf: URL(filePath: "\(path)/\(file)")), data.count <= 1 << 20 else {
            return []
        }
        return (try? JSONDecoder().decode([String].self, from: data)) ?? []
    }
}
