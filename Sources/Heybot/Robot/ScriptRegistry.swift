/// What the scripts of a robot have registered: listeners, middleware, routes and help.
///
/// It is immutable. When scripts are replaced, a new registry replaces it; messages that were matched before keep the listeners
/// of the old one.
final class ScriptRegistry: Sendable {
    /// The names of the scripts, in registration order.
    let scripts: [String]
    let listenerIndex: ListenerIndex
    let middleware: MiddlewareStack
    let observers: [MessageObserver]
    let deliveryObservers: [DeliveryObserver]
    let commandLists: [RuntimeCommandList]
    /// What gets all messages instead of the listeners; nil if the listeners get them.
    let sink: MessageSink?
    /// Returns the commands if other listeners get the messages.
    let commandSource: CommandSource?
    /// The web routes, in the order they are tried.
    let routes: [Route]
    /// Answers the requests that no route answers; nil if nothing does.
    let fallbackRoute: FallbackRoute?
    /// The topic of each script, and the settings that it is missing, by the script's name.
    let topics: [String: ScriptTopic]
    let missingSettings: [String: String]
    private let builder: RobotBuilder

    /// - Parameter topics: The scripts' topics by name, also those that were registered before.
    init(_ builder: RobotBuilder, scripts: [String], topics: [String: ScriptTopic]) {
        (self.builder, self.scripts, self.topics) = (builder, scripts, topics)
        listenerIndex = ListenerIndex(indexed: builder.indexedListeners)
        (middleware, routes, fallbackRoute) = (builder.middleware, builder.routes, builder.fallbackRoute)
        (observers, deliveryObservers) = (builder.observers, builder.deliveryObservers)
        commandLists = builder.commandLists
        (sink, commandSource) = (builder.sink, builder.commandSource)
        missingSettings = builder.missingSettings
    }

    /// Returns a registry with other scripts in place of some, behind those that stay.
    ///
    /// - Throws: ``RobotError`` if the new scripts can't be used.
    func replacing(_ old: Set<String>, with new: [any Script]) throws(RobotError) -> ScriptRegistry {
        var builder = builder
        builder.remove(old)
        for script in new { builder.register(script) }
        let names = scripts.filter { !old.contains($0) } + new.map(\.name)
        var topics = topics.filter { !old.contains($0.key) }
        for script in new where topics[script.name] == nil { topics[script.name] = script.topic }
        let problems =
            Robot.problems(names, builder.indexedListeners) + RouteResponder.problems(builder.routes) + builder.problems
        guard problems.isEmpty else { throw .misconfigured(problems) }
        return ScriptRegistry(builder, scripts: names, topics: topics)
    }
}

extension Robot {
    /// Replaces scripts while the robot runs.
    ///
    /// Messages that are matched from now on get the listeners of the new scripts. Their event handlers, timers and companions
    /// aren't used.
    ///
    /// - Parameter old: The names of the scripts to replace.
    /// - Throws: ``RobotError`` if the new scripts can't be used; then nothing is replaced.
    package func replaceScripts(_ old: Set<String>, with new: [any Script]) throws(RobotError) {
        dispatcher.use(try dispatcher.registry.replacing(old, with: new))
    }
}
