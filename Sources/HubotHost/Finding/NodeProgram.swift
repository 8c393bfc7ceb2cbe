import FoundationEssentials
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Finds Node, which runs Hubot scripts.
package struct NodeProgram: Hashable, Sendable {
    /// The oldest version that runs the program.
    private static let oldest = 18

    /// The path.
    package let path: String

    /// Finds Node, and asks it for its version.
    ///
    /// - Parameters:
    ///   - setting: The path in the settings; nil to search `PATH`.
    ///   - environment: The robot's environment.
    package static func find(
        _ setting: String?, environment: [String: String]
    ) async throws(NodeProgramError) -> NodeProgram {
        let manager = FileManager.default
        let path: String
        if let setting {
            guard manager.isExecutableFile(atPath: setting) else { throw .notExecutable(setting) }
            path = setting
        } else {
            let folders = (environment["PATH"] ?? "").split(separator: ":")
            let paths = ["node", "nodejs"].flatMap { name in folders.map { "\($0)/\(name)" } }
            guard let found = paths.first(where: { manager.isExecutableFile(atPath: $0) }) else { throw .missing }
            path = found
        }
        let answer = try? await Subprocess.run(
            .path(FilePath(path)), arguments: ["--version"], input: .none, output: .string(limit: 100),
            error: .discarded)
        guard let version = answer?.standardOutput.split(whereSeparator: \.isWhitespace).first, version.first == "v",
            let major = Int(version.dropFirst().prefix { $0 != "." })
        else { throw .noNode(path) }
        guard major >= oldest else { throw .tooOld(path, String(version)) }
        return NodeProgram(path: path)
    }
}

/// The reason why there is no Node that can run Hubot scripts.
package enum NodeProgramError: Error, Hashable, CustomStringConvertible {
    case missing
    case notExecutable(String)
    case noNode(String)
    case tooOld(String, String)

    package var description: String {
        switch self {
        case .missing: "Node isn't installed: run sudo apt-get install nodejs"
        case .notExecutable(let path): "there is no program at \(path): correct the path of Node"
        case .noNode(let path): "\(path) isn't Node, or doesn't start: correct the path of Node"
        case .tooOld(let path, let version): "\(path) is Node \(version), but 18 or newer is needed"
        }
    }
}
