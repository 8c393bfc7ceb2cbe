import GatewayLink
package import Heybot

/// What the adapter that a ``StandIn`` stands in for can do.
package protocol StandInKind: Sendable {}
/// The kind of an adapter whose users can change messages.
package protocol ChangingKind: StandInKind {}
/// The kind of an adapter for a network with rooms.
package protocol NetworkKind: ChangingKind {}
/// The kind of an adapter that splits long answers into pages.
package protocol PagingKind: NetworkKind {}
/// The kind of an adapter whose service blocks addresses.
package protocol BlockingKind: NetworkKind {}

/// An adapter without further capabilities.
package enum PlainStandIn: StandInKind {}
/// An adapter whose users can change messages, such as a terminal.
package enum ChangingStandIn: ChangingKind {}
/// An adapter for a network with rooms.
package enum NetworkStandIn: NetworkKind {}
/// An adapter such as IRC's.
package enum PagingStandIn: PagingKind {}
/// An adapter such as XMPP's.
package enum BlockingStandIn: BlockingKind {}

/// A worker's adapter, which has one of the gateway do what the robot wants.
///
/// What needs no connection, such as the form of a user's id, it asks an adapter with the same settings that never connects.
package final class StandIn<Kind: StandInKind>: Adapter {
    let base: any Adapter
    let client: any GatewayClient

    init(_ base: any Adapter, _ client: any GatewayClient) { (self.base, self.client) = (base, client) }

    package var name: String { base.name }

    package var status: AdapterStatus { client.facts(of: name)?.status ?? .starting }

    package func run(_ inbox: Inbox) async throws { await client.run(inbox) }

    package func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        _ = try await client.call(.deliver(utterance, envelope), of: name)
    }
}

extension GatewayClient {
    /// An adapter that stands in for one of the gateway.
    ///
    /// - Parameter base: An adapter with the same settings, which isn't run.
    package func standIn(for base: any Adapter) -> any Adapter {
        teach(base)
        if base is any AnswerPaging, base is any RoomModeration { return StandIn<PagingStandIn>(base, self) }
        if base is any ContactBlocking, base is any RoomModeration { return StandIn<BlockingStandIn>(base, self) }
        if base is any MemberListing, base is any RoomModeration { return StandIn<NetworkStandIn>(base, self) }
        if base is any MessageChanging { return StandIn<ChangingStandIn>(base, self) }
        return StandIn<PlainStandIn>(base, self)
    }
}

extension StandIn: MessageChanging where Kind: ChangingKind {
    package var messageFeatures: Set<MessageFeature> { client.facts(of: name)?.messageFeatures ?? [] }

    package func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        try await client.call(.deliver(utterance, envelope), of: name).message
    }

    package func change(
        _ message: Message.ID, _ change: MessageChange, in envelope: Envelope
    ) async throws -> Bool {
        try await client.call(.change(message, change, envelope), of: name).flag ?? false
    }

    package func showTyping(_ isTyping: Bool, in envelope: Envelope) {
        client.send(.showTyping(isTyping, envelope), of: name)
    }

    package func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        let (seconds, attoseconds) = limit.components
        // More than a day isn't waited for.
        let milliseconds = Int(min(seconds, 86_400)) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        let operation = AdapterOperation.waitUntil(message, stage, milliseconds: milliseconds, envelope)
        return try await client.call(operation, of: name).flag ?? false
    }
}

extension StandIn: OutboundQueueing where Kind: NetworkKind {
    package var queuedMessages: Int { client.queuedMessages(of: name) }
}

extension StandIn: PrivateMessaging where Kind: NetworkKind {
    package func privateRoom(of user: User) -> Room {
        (base as? any PrivateMessaging)?.privateRoom(of: user)
            ?? Room(id: Room.ID(adapter: name, value: user.id.value), name: user.name, isPrivate: true)
    }

    package func locate(_ user: User) async -> User? { try? await client.call(.locate(user), of: name).user }
}

extension StandIn: MemberListing where Kind: NetworkKind {
    package func users(in room: Room) async -> [User] {
        let outcome = try? await client.call(.users(room), of: name)
        return outcome?.users ?? []
    }

    package func isPresent(_ user: User.ID) async -> Bool {
        let outcome = try? await client.call(.isPresent(user), of: name)
        return outcome?.flag ?? false
    }
}

extension StandIn: RoomMembership where Kind: NetworkKind {
    package func join(_ room: String, password: String?) async throws -> Room {
        let outcome = try await client.call(.join(room, password: password), of: name)
        return outcome.room ?? Room(id: Room.ID(adapter: name, value: room))
    }

    package func leave(_ room: String) async throws { _ = try await client.call(.leave(room), of: name) }

    package func isInSettings(_ room: String) -> Bool {
        (base as? any RoomMembership)?.isInSettings(room) ?? false
    }
}

extension StandIn: RoomMembershipReporting where Kind: NetworkKind {
    package func isIn(_ room: Room) async -> Bool? {
        let outcome = try? await client.call(.isIn(room), of: name)
        return outcome?.flag
    }
}

extension StandIn: RoomNameFolding where Kind: NetworkKind {
    package func foldedRoomName(_ name: String) -> String {
        (base as? any RoomNameFolding)?.foldedRoomName(name) ?? name
    }
}

extension StandIn: ConfiguredUserRecognition where Kind: NetworkKind {
    package func userID(named name: String) throws -> String {
        try (base as? any ConfiguredUserRecognition)?.userID(named: name) ?? name
    }

    package func recognize(_ names: [String]) { client.send(.recognize(names), of: name) }
}

extension StandIn: AnswerPaging where Kind: PagingKind {
    package func showMore(_ envelope: Envelope) async throws -> Bool {
        try await client.call(.showMore(envelope), of: name).flag ?? false
    }
}

extension StandIn: ContactBlocking where Kind: BlockingKind {
    package func block(_ address: String) async throws { _ = try await client.call(.block(address), of: name) }

    package func unblock(_ address: String) async throws { _ = try await client.call(.unblock(address), of: name) }

    package func blockedAddresses() async throws -> [String] {
        try await client.call(.blockedAddresses, of: name).texts ?? []
    }
}
