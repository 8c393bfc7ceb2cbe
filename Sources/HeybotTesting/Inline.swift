package import Heybot
import Synchronization

/// A script made of a closure.
package struct Inline: Script {
    package let name: String
    private let body: @Sendable (inout RobotBuilder) -> Void

    package init(_ name: String = "Inline", _ body: @escaping @Sendable (inout RobotBuilder) -> Void) {
        self.name = name
        self.body = body
    }

    package func register(on robot: inout RobotBuilder) { body(&robot) }
}

/// A list that closures on any thread add to.
package final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    package init() {}

    package var all: [String] { notes.withLock { $0 } }

    package func add(_ note: String) { notes.withLock { $0.append(note) } }
}
