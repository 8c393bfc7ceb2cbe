import FoundationEssentials
import HeybotSupport

/// The JavaScript program that runs Hubot scripts, which is part of this binary.
package enum HubotProgram {
    /// A name for this version of the program, made from its content.
    private static var version: String {
        var content: [UInt8] = []
        for (name, text) in EmbeddedText.all { content += Array("\(name) \(text.utf8.count)\n\(text)".utf8) }
        return CryptographicHash.sha256.hash(content).prefix(8)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Writes the program into a folder, unless it is there.
    ///
    /// Other versions stay: another robot with the same folder may run one.
    ///
    /// - Parameter folder: The folder for all versions, which is created if it doesn't exist.
    /// - Returns: The path of the file to run.
    package static func install(in folder: String) throws -> String {
        let (manager, version) = (FileManager.default, version)
        let place = "\(folder)/\(version)"
        let main = "\(place)/main.js"
        guard !manager.fileExists(atPath: main) else { return main }
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Complete or not at all: another robot may start at the same time.
        let new = "\(folder)/\(version)-\(UUID().uuidString)"
        try manager.createDirectory(atPath: new, withIntermediateDirectories: true)
        for (name, text) in EmbeddedText.all { try Data(text.utf8).write(to: URL(filePath: "\(new)/\(name)")) }
        do {
            try manager.moveItem(atPath: new, toPath: place)
        } catch {
            try? manager.removeItem(atPath: new)
            guard manager.fileExists(atPath: main) else { throw error }
        }
        return main
    }
}
