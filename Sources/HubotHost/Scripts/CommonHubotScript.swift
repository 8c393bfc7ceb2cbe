import Heybot
import Logging
import Synchronization

/// What all Hubot scripts have in common: their middleware, the users that they know, and listeners added late.
struct CommonHubotScript: Script {
    let name = "Hubot"
    private let driver: HostSessionDriver
    private let host: HubotHost
    private let kinds: Set<MiddlewareKind>
    private let robotName: String

    init(_ session: HostSession, _ driver: HostSessionDriver, _ host: HubotHost) {
        (self.driver, self.host) = (driver, host)
        (kinds, robotName) = (session.middleware, session.start.name)
    }

    func register(on robot: inout RobotBuilder) {
        let (driver, host) = (driver, host)
        robot.accompany(with: RobotCompanion(start: { await host.start($0) }, stop: { _ in await host.finish() }))
        // Hubot's scripts know everyone who has said something.
        robot.listen(
            id: "Hubot.users",
            { (message: Message) -> Void? in
                driver.saw(message)
                return nil
            }
        ) { _ in }
        let late = RemoteListener(.listen, id: "Hubot.late", isActive: { driver.hasLateListeners })
        robot.listen(remote: late) { try await driver.callLateListeners($0) }
        robot.respond(
            /reload(?: scripts)?$/, id: "Hubot.reload", help: "reload - Reload the Hubot scripts", example: "reload",
            allow: .admins, deadline: .seconds(300)
        ) { res in
            try await res.send(try await host.reload())
        }
        replaceCommands(of: &robot)
        robot.answerOtherRequests(startsServer: driver.hasRoutes, isActive: { driver.hasRoutes }) { request in
            try await driver.answer(request)
        }
        if kinds.contains(.receive) { addReceiveMiddleware(to: &robot) }
        if kinds.contains(.listener) {
            robot.remoteListenerMiddleware { listener, _ in
                guard let routed = InFlightMessageHandle.current else { return true }
                let result = try await driver.ask(.listener, about: routed, listenerID: listener.id)
                return result?.continue != false
            }
        }
        if kinds.contains(.response) {
            robot.remoteResponseMiddleware { utterance, _, _ in try await Self.changed(utterance, driver) }
        }
    }

    /// Removes the listeners in Swift whose commands Hubot scripts answer.
    private func replaceCommands(of robot: inout RobotBuilder) {
        let replaced = ReplacedSwiftListeners(robot.listeners, of: robotName)
        for line in replaced.lines { driver.logger.notice("\(line)") }
        robot.replaceListeners(Set(replaced.ids))
    }

    private func addReceiveMiddleware(to robot: inout RobotBuilder) {
        let driver = driver
        robot.receiveMiddleware { message, _ in
            switch message.content {
            case .text, .enter, .leave, .topic: break
            // Hubot has none of them.
            case .reaction, .retraction, .profile: return message
            }
            guard let routed = InFlightMessageHandle.current,
                let result = try await driver.ask(.receive, about: routed)
            else { return message }
            guard result.continue != false, result.finished != true else { return nil }
            guard let text = result.text else { return message }
            var message = message
            switch message.content {
            case .text: message.content = .text(text)
            case .topic: message.content = .topic(text)
            case .enter, .leave, .reaction, .retraction, .profile: break
            }
            return message
        }
    }

    /// What response middleware makes of something that a listener in Swift sends; nil if it drops it.
    private static func changed(_ utterance: Utterance, _ driver: HostSessionDriver) async throws -> Utterance? {
        let method: String
        switch utterance {
        case .text: method = "send"
        case .reply: method = "reply"
        case .emote: method = "emote"
        case .topic: method = "topic"
        case .attachment: return utterance
        }
        guard let routed = InFlightMessageHandle.current,
            let result = try await driver.ask(
                .response, about: routed, method: method, strings: [utterance.content])
        else { return utterance }
        guard result.continue != false, let strings = result.strings, !strings.isEmpty else { return nil }
        let text = strings.joined(separator: "\n")
        switch utterance {
        case .text: return .text(text)
        case .reply: return .reply(text)
        case .emote: return .emote(text)
        case .topic: return .topic(text)
        case .attachment: return utterance
        }
    }
}

extension HostSessionDriver {
    /// Asks the listeners that scripts have added since the robot was built.
    func callLateListeners(_ call: RemoteListenerCall) async throws {
        let listeners = state.withLock { $0.session.lateListeners }
        let switches = call.robot.switches
        var isHandled = false
        var hasCommand = false
        var firstError: (any Error)?
        var unconfirmedMatch: UnconfirmedMatchError?
        for listener in listeners where listener.kind.accepts(call) {
            if let script = listener.script, !switches.isOn(script, in: call.message.room) || !call.mayUse(script) {
                continue
            }
            do {
                let isFinished = try await self.call(listener.key, call, kind: listener.kind)
                isHandled = true
                if listener.kind == .respond { hasCommand = true }
                if isFinished { break }
            } catch is SkipListener {
                continue
            } catch let error as UnconfirmedMatchError {
                unconfirmedMatch = unconfirmedMatch ?? error
            } catch let error as CancellationError {
                throw error
            } catch {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        if let unconfirmedMatch, !hasCommand { throw unconfirmedMatch }
        if !isHandled { throw SkipListener() }
    }
}

extension AnnouncedListener.Kind {
    /// Whether a listener that was added late is asked about a message.
    fileprivate func accepts(_ call: RemoteListenerCall) -> Bool {
        switch self {
        case .hear: ["text", "topic"].contains(call.message.hubotKind)
        case .respond: call.command != nil
        case .listen: true
        // Its turn is over when this is known.
        case .catchAll: false
        case .enter, .leave, .topic: call.message.hubotKind == rawValue
        }
    }
}
