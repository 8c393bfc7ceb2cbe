public import Heybot
import HeybotXMPP
import NetworkAdapter

// Blocks users: the server delivers nothing from them (XEP-0191).

extension XMPPAdapter: ContactBlocking {
    /// Blocks a person's address, or a domain.
    ///
    /// - Throws: ``Heybot/AdapterError`` if it is a room or the robot's own account or server, or if the server refuses that.
    public func block(_ address: String) async throws {
        let target = try blockTarget(address)
        let own = configuration.session.address
        guard target != own.bare, target.local != nil || target.domain != own.domain else {
            throw AdapterError(.notAllowed, "\(target) is my own \(target.local == nil ? "server" : "address")")
        }
        let rooms = driver.withLock { $0.state.session?.wantedRooms.map(\.address) ?? [] }
        guard !rooms.contains(where: { $0 == target || target.local == nil && $0.domain == target.domain }) else {
            throw AdapterError(.notAllowed, "I'm in a room there: make me leave it first")
        }
        _ = try await askForBlockList("block", "set", target)
    }

    /// Ends the block of an address or a domain.
    ///
    /// - Throws: ``Heybot/AdapterError`` if it isn't blocked, or if the server refuses that.
    public func unblock(_ address: String) async throws {
        let target = try blockTarget(address)
        // Without a check, a mistyped address would be reported as unblocked.
        guard try await blocked().contains(target) else {
            throw AdapterError(.noSuchUser, "\(target) isn't blocked: to list all, say \"blocks\"")
        }
        _ = try await askForBlockList("unblock", "set", target)
    }

    public func blockedAddresses() async throws -> [String] {
        try await blocked().map(\.description).sorted()
    }

    private func blocked() async throws -> [JID] {
        let list = try await askForBlockList("blocklist", "get")
        return (list?.all("item", Namespace.blocking) ?? []).compactMap { item in
            item["jid"].flatMap { try? JID($0) }
        }
    }

    private func blockTarget(_ address: String) throws -> JID {
        let target: JID
        do { target = try JID(address) } catch { throw AdapterError(.invalidName, "\(error)") }
        guard target.resource == nil else {
            throw AdapterError(
                .invalidName, "that is the address of a device or of an occupant of a room: use \(target.bare)")
        }
        return target
    }

    /// Reads or changes the block list.
    ///
    /// - Returns: The answer's payload.
    private func askForBlockList(_ name: String, _ type: String, _ target: JID? = nil) async throws -> Element? {
        var payload = Element(name, Namespace.blocking)
        if let target { payload.append(Element("item", Namespace.blocking, ["jid": target.description])) }
        do throws(StanzaError) { return try await ask(payload, type) } catch {
            switch error.condition {
            case .remoteServerTimeout, .cancelled, .notConnected:
                throw AdapterError(.unconfirmed, "the server didn't answer, so I don't know whether that worked")
            case .serviceUnavailable, .featureNotImplemented:
                throw AdapterError(.unsupported, "the server can't block addresses (XEP-0191)")
            default: throw AdapterError(.notAllowed, "the server refuses that: \(error)")
            }
        }
    }
}
