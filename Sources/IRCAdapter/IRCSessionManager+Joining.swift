import Heybot
import HeybotIRC
import NetworkAdapter

// Joins and leaves channels on request, and remembers them for the next connection and the next start.

extension IRCSessionManager {
    /// A caller that waits for a join.
    struct PendingJoin: Sendable {
        let number: Int
        let continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    }

    /// The channels that the robot is to be in, except those in the settings.
    var savedRooms: [SavedRoom] {
        (state.session?.channels ?? channels ?? []).filter { $0.origin != .settings }.map(SavedRoom.init)
    }

    /// Adds channels to join, from the first connection on.
    mutating func restore(_ rooms: [SavedRoom]) {
        let rooms = rooms.map(\.channel)
        let listed = Set(configuration.session.channels.map { fold($0.name) })
        channels = configuration.session.channels + rooms.filter { !listed.contains(fold($0.name)) }
    }

    func isInSettings(_ name: String) -> Bool {
        configuration.session.channels.contains { fold($0.name) == fold(name) }
    }

    /// Joins a channel, and resumes the continuation with the outcome.
    ///
    /// - Returns: The number for ``abandonJoin(_:_:at:)``.
    mutating func join(
        _ name: String, key: String?, at now: Duration,
        _ continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    ) -> Int {
        lastJoinNumber += 1
        guard state.session?.isOnline == true, state.session?.support.isChannel(name) == true else {
            continuation.resume(
                returning: .failure(state.session?.isOnline == true ? .noChannel(name) : .away(adapterName)))
            return lastJoinNumber
        }
        pendingJoins[fold(name), default: []].append(PendingJoin(number: lastJoinNumber, continuation: continuation))
        let channel = SessionConfiguration.Channel(name, key: key, origin: isInSettings(name) ? .settings : .command)
        perform(state.session?.join(channel, at: now) ?? [], at: now)
        completeJoins(at: now)
        return lastJoinNumber
    }

    /// Stops waiting for the answer to a join.
    mutating func abandonJoin(_ name: String, _ number: Int, at now: Duration) {
        guard let index = pendingJoins[fold(name)]?.firstIndex(where: { $0.number == number }),
            let pendingJoin = pendingJoins[fold(name)]?.remove(at: index)
        else { return }
        stopJoining(fold(name), at: now)
        pendingJoin.continuation.resume(
            returning: .failure(AdapterError(.joinRefused, "the server didn't answer when I tried to join \(name)")))
    }

    /// Leaves a channel.
    ///
    /// - Returns: False if the robot is neither in the channel nor trying to join it.
    mutating func part(_ name: String, at now: Duration) -> Bool {
        guard state.session != nil else {
            let folded = fold(name)
            history?.forget(folded)
            let rest = channels?.filter { fold($0.name) != folded }
            defer { channels = rest }
            return rest?.count != channels?.count
        }
        guard let actions = state.session?.part(name, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Resumes the callers whose join has been answered.
    mutating func completeJoins(at now: Duration) {
        if pendingJoins.isEmpty { return }
        for (key, waiting) in pendingJoins {
            let result: Result<Room, AdapterError>
            if state.session?.members.channels[key] != nil {
                let name = state.session?.joined.first { fold($0) == key } ?? key
                result = .success(Room(id: Room.ID(adapter: adapterName, value: key), name: name))
            } else if let refusal = state.session?.refusals[key] {
                let name = refusal.parameters.count > 1 ? refusal.parameters[1] : key
                result = .failure(
                    AdapterError(.joinRefused, "I can't join \(name): \(refusal.parameters.last ?? "")"))
                stopJoining(key, at: now)
            } else {
                continue
            }
            pendingJoins[key] = nil
            for pendingJoin in waiting { pendingJoin.continuation.resume(returning: result) }
        }
    }

    /// Stops joining a channel that a command named and that refuses the robot.
    private mutating func stopJoining(_ key: String, at now: Duration) {
        guard state.session?.channels.contains(where: { fold($0.name) == key && $0.origin == .command }) == true else {
            return
        }
        perform(state.session?.part(key, at: now) ?? [], at: now)
    }
}
