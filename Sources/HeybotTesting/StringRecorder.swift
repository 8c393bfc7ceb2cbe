import Synchronization

/// A list of strings that closures on any thread append to.
package final class StringRecorder: Sendable {
    private let entries = Mutex<[String]>([])

    package init() {}

    package var all: [String] { entries.withLock { $0 } }

    package func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}
