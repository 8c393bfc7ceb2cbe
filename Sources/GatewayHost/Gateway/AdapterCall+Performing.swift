package import GatewayLink
package import Heybot

extension AdapterCall {
    /// Has the adapter carry it out.
    ///
    /// - Parameter message: The message that has caused it; nil if none has.
    package func perform(with robot: Robot, for message: Message?) async -> CallOutcome {
        var outcome = CallOutcome()
        do {
            try await perform(robot, message, &outcome)
        } catch {
            return CallOutcome(failure: CallOutcome.Failure(error))
        }
        return outcome
    }

    /// Has the adapter carry it out at once, if nobody waits for its outcome: such calls keep their order.
    package func performAtOnce(with robot: Robot) {
        let adapter = robot.adapters.first { $0.name == self.adapter }
        switch operation {
        case .showTyping(let isTyping, let envelope):
            (adapter as? any MessageChanging)?.showTyping(isTyping, in: envelope)
        case .recognize(let names): (adapter as? any ConfiguredUserRecognition)?.recognize(names)
        default: break
        }
    }

    private func perform(_ robot: Robot, _ message: Message?, _ outcome: inout CallOutcome) async throws {
        guard let adapter = robot.adapters.first(where: { $0.name == self.adapter }) else {
            throw RobotError.unknownAdapter(self.adapter, known: robot.adapters.map(\.name))
        }
        switch operation {
        case .deliver(let utterance, let envelope):
            outcome.message = try await robot.send(utterance, to: envelope, answering: message)
        case .change(let id, let change, let envelope):
            let changing = try capability(of: adapter, (any MessageChanging).self)
            outcome.flag = try await changing.change(id, change, in: envelope)
        case .showTyping, .recognize: performAtOnce(with: robot)
        case .waitUntil(let id, let stage, let milliseconds, let envelope):
            let changing = try capability(of: adapter, (any MessageChanging).self)
            let limit = Duration.milliseconds(milliseconds)
            outcome.flag = try await changing.waitUntil(id, is: stage, within: limit, in: envelope)
        case .showMore(let envelope):
            outcome.flag = try await capability(of: adapter, (any AnswerPaging).self).showMore(envelope)
        case .users(let room):
            outcome.users = await (adapter as? any MemberListing)?.users(in: room)
        case .isPresent(let user):
            outcome.flag = await (adapter as? any MemberListing)?.isPresent(user)
        case .locate(let user):
            outcome.user = await (adapter as? any PrivateMessaging)?.locate(user)
        case .isIn(let room):
            outcome.flag = await (adapter as? any RoomMembershipReporting)?.isIn(room)
        case .join(let room, let password):
            let membership = try capability(of: adapter, (any RoomMembership).self)
            outcome.room = try await membership.join(room, password: password)
        case .leave(let room):
            try await capability(of: adapter, (any RoomMembership).self).leave(room)
        case .block(let address):
            try await capability(of: adapter, (any ContactBlocking).self).block(address)
        case .unblock(let address):
            try await capability(of: adapter, (any ContactBlocking).self).unblock(address)
        case .blockedAddresses:
            outcome.texts = try await capability(of: adapter, (any ContactBlocking).self).blockedAddresses()
        case .member, .restriction, .restrictionOfAbsent, .latestMessage, .author, .moderate:
            try await moderate(with: capability(of: adapter, (any RoomModeration).self), &outcome)
        // The driver answers this.
        case .metrics: break
        case .unknown(let kind):
            throw AdapterError(.unsupported, "the gateway can't do \"\(kind)\": restart heybot")
        }
    }

    private func moderate(with adapter: any RoomModeration, _ outcome: inout CallOutcome) async throws {
        switch operation {
        case .member(let name, let room): outcome.member = await adapter.member(named: name, in: room)
        case .restriction(let kind, let member, let room):
            let found = try await adapter.restriction(kind, of: member, in: room)
            (outcome.restriction, outcome.users) = (found.restriction, found.affected)
        case .restrictionOfAbsent(let kind, let user, let room):
            let found = try await adapter.restriction(kind, ofAbsent: user, in: room)
            (outcome.restriction, outcome.user, outcome.users) = (found.restriction, found.user, found.affected)
        case .latestMessage(let member, let room):
            outcome.message = await adapter.latestMessage(of: member, in: room)
        case .author(let message, let room): outcome.user = await adapter.author(of: message, in: room)
        case .moderate(let action, let room): try await adapter.moderate(action, in: room)
        default: break
        }
    }

    private func capability<Capability>(of adapter: any Adapter, _ type: Capability.Type) throws -> Capability {
        guard let capable = adapter as? Capability else {
            throw AdapterError(.unsupported, "\(adapter.name) can't do that")
        }
        return capable
    }
}
