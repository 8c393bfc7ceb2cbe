package import Heybot
import Synchronization

/// A script made of a closure.
package struct InlineScript: Script {
    package let name: String
    private let body: @Sendable (inout RobotBuilder) -> Void

    package init(_ name: String = "Inline", _ body: @escaping @Sendable (inout RobotBuilder) -> Void) {
        self.name = name
        self.body = body
    }

    package func register(on robot: inout RobotBuilder) { body(&robot) }
}

/// A list of strings that closures on any thread append to.
package final class StringRecorder: Sendable {
    private let entries = Mutex<[String]>([])

    package init() {}

    package var all: [String] { entries.withLock { $0 } }

    package func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}
