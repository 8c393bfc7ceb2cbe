import Logging
import Synchronization

/// A log that keeps what it is given.
final class Log: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: Log
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let about = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
            log.kept.withLock {
                $0.append("\(event.level) \(event.message)" + about.map { " \($0.key)=\($0.value)" }.joined())
            }
        }
    }
}
