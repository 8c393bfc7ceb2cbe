import Heybot
import HeybotSupport
import Logging

// What scripts send, and put into the robot.

extension HostSessionDriver {
    /// Sends something, after what was sent to the same room before.
    func send(_ request: SendRequest, _ state: inout State) {
        let delivery = SendRequestDelivery(request, call: request.run.flatMap { state.calls[$0] }, state.names)
        let robot = state.robot
        let cost = request.strings.reduce(0) { $0 + $1.utf8.count }
        let process = state.process
        let isAdded = shared.deliveries.add(to: delivery.room ?? "", cost: cost, isQuick: delivery.isQuick) {
            let error = await delivery.deliver(robot)
            if let error {
                self.logger.warning("a Hubot script couldn't send a message: \(error)", script: request.script)
            }
            self.respond(to: request.request, of: process, error: error)
        }
        guard !isAdded else { return }
        state.lines.append(
            (
                .warning, "a Hubot script couldn't send a message: too many messages are waiting to be sent",
                request.script
            ))
        carryOut(state.session.respond(to: request.request, error: "too many messages are waiting to be sent"), &state)
    }

    /// Puts a message into the robot.
    func receive(_ request: InjectionRequest, _ state: inout State) {
        let depth = (request.run.flatMap { state.calls[$0]?.routed.depth ?? state.depths[$0] } ?? 0) + 1
        let message = InjectedHubotMessage.message(of: request, state.names, at: timeSource.date())
        guard depth <= InjectedHubotMessage.greatestDepth, let message, let robot = state.robot else {
            let problem =
                depth > InjectedHubotMessage.greatestDepth
                ? "the script triggers itself with its own messages" : "a message needs a room and a user"
            return refuse(request, problem, &state)
        }
        let process = state.process
        // In order, as the script has passed them.
        let isAdded = shared.injecting.add(to: "", cost: message.text?.utf8.count ?? 0) {
            await robot.inject(message, InjectionOrigin(token: request.token, process: process, depth: depth))
            self.respond(to: request.request, of: process)
        }
        if !isAdded { refuse(request, "too many messages are waiting", &state) }
    }

    private func refuse(_ request: InjectionRequest, _ problem: String, _ state: inout State) {
        state.lines.append(
            (.warning, "a Hubot script couldn't pass a message to the robot: \(problem)", request.script))
        carryOut(state.session.respond(to: request.request, error: problem), &state)
    }

    /// Responds to a request, unless the process that made it has ended; the numbers of the next one's requests are the same.
    func respond(to request: Int, of process: Int, error: String? = nil, value: JSONValue? = nil) {
        change { state in
            guard state.process == process else { return }
            self.carryOut(state.session.respond(to: request, error: error, value: value), &state)
        }
    }
}
