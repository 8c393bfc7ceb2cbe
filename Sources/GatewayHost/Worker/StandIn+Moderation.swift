import GatewayLink
package import Heybot

extension StandIn: RoomModeration where Kind: NetworkKind {
    package func member(named name: String, in room: Room) async -> RoomMember? {
        let outcome = try? await client.call(.member(name, room), of: self.name)
        return outcome?.member
    }

    package func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: Room
    ) async throws -> (restriction: RoomRestriction, affected: [User]) {
        let outcome = try await client.call(.restriction(kind, member, room), of: name)
        guard let restriction = outcome.restriction else { throw Self.noAnswer }
        return (restriction, outcome.users ?? [])
    }

    package func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        let outcome = try await client.call(.restrictionOfAbsent(kind, user, room), of: name)
        guard let restriction = outcome.restriction else { throw Self.noAnswer }
        return (restriction, outcome.user ?? user, outcome.users ?? [])
    }

    package func latestMessage(of member: RoomMember, in room: Room) async -> Message.ID? {
        let outcome = try? await client.call(.latestMessage(member, room), of: name)
        return outcome?.message
    }

    package func author(of message: Message.ID, in room: Room) async -> User? {
        let outcome = try? await client.call(.author(message, room), of: name)
        return outcome?.user
    }

    package func moderate(_ action: ModerationAction, in room: Room) async throws {
        _ = try await client.call(.moderate(action, room), of: name)
    }

    private static var noAnswer: AdapterError {
        AdapterError(.unconfirmed, "the gateway's answer has no restriction: restart heybot")
    }
}
