import Logging
import Synchronization

/// A log that keeps the warnings and errors it is given.
final class TestLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// What was logged at warning level or above, with what it is about.
    var troubles: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "heybot") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: TestLog
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard event.level >= .warning else { return }
            let about = metadata.merging(event.metadata ?? [:]) { $1 }
                .sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            log.lines.withLock { $0.append("\(event.message)\(about)") }
        }
    }
}
