package import Heybot

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
