import FoundationEssentials
import Logging

/// Reloads the scripts when their files change on disk.
struct HubotFilesWatch: Sendable {
    /// How often the files are looked at.
    private static let interval: Duration = .seconds(1)

    /// What identifies the present state of the files.
    private struct State: Hashable {
        private struct File: Hashable {
            let path: String
            let modified: Date?
            let size: Int?
        }

        private let files: [File]

        init(_ files: HubotFiles) {
            let manager = FileManager.default
            self.files = files.watchedPaths.map { path in
                let attributes = try? manager.attributesOfItem(atPath: path)
                return File(
                    path: path, modified: attributes?[.modificationDate] as? Date, size: attributes?[.size] as? Int)
            }
        }
    }

    let host: HubotHost
    let logger: Logger
    let findFiles: @Sendable () throws -> HubotFiles

    /// Watches the files until it is canceled.
    ///
    /// An editor may write a file in several steps, so the files are loaded when they haven't changed for one interval.
    func run() async {
        var loaded = (try? findFiles()).map(State.init)
        var last = loaded
        while (try? await Task.sleep(for: Self.interval)) != nil {
            // A folder without scripts may be in the middle of a change.
            guard let files = try? findFiles() else { continue }
            let now = State(files)
            defer { last = now }
            guard now == last, now != loaded else { continue }
            do {
                let result = try await host.reload()
                loaded = now
                logger.notice("Hubot scripts have changed: \(result)")
            } catch HubotReloadError.isReloading {
                continue
            } catch {
                loaded = now
                logger.error("can't load the changed Hubot scripts: \(error)")
            }
        }
    }
}

extension HubotFiles {
    /// The files whose changes matter: the scripts, and the lists of packages.
    var watchedPaths: [String] {
        scripts.map(\.path) + ["external-scripts.json", "hubot-scripts.json"].map { "\(folder)/\($0)" }
    }
}
