package import Logging
import Synchronization

/// A log in memory.
package final class TestLog: Sendable {
    private let entries = Mutex<[(level: Logger.Level, text: String)]>([])

    package init() {}

    package var logger: Logger { Logger(label: "heybot") { _ in Handler(log: self) } }

    /// The lines logged at a level or above: the message, followed by the metadata.
    package func lines(from level: Logger.Level = .trace) -> [String] {
        entries.withLock { $0.filter { $0.level >= level }.map(\.text) }
    }

    private struct Handler: LogHandler {
        let log: TestLog
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let about = metadata.merging(event.metadata ?? [:]) { $1 }
                .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            log.entries.withLock { $0.append((event.level, "\(event.message)\(about)")) }
        }
    }
}
