import Logging
import Synchronization

/// A log that keeps all it is given.
final class KeptLog: Sendable {
    private let entries = Watched<[(level: Logger.Level, text: String)]>([])

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    func lines(from level: Logger.Level = .trace) -> [String] {
        entries.value.filter { $0.level >= level }.map(\.text)
    }

    /// Returns as soon as a line has that in it.
    func wait(for text: String) async {
        await entries.wait { $0.contains { $0.text.contains(text) } }
    }

    private struct Handler: LogHandler {
        let log: KeptLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let about = metadata.merging(event.metadata ?? [:]) { $1 }
            log.entries.change { $0.append((event.level, "\(event.message) \(about)")) }
        }
    }
}
