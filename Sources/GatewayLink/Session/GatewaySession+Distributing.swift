import DequeModule
package import Heybot

// Messages: which worker gets them, and when they are done.

extension GatewaySession {
    /// An adapter has received a message.
    ///
    /// - Returns: The message's number, and what to do.
    package mutating func heard(_ message: Message, at now: Duration) -> (number: Int, actions: [GatewayAction]) {
        lastNumber += 1
        entries[lastNumber] = Entry(message)
        // There is nobody any more who could handle it.
        if isOver { return (lastNumber, finish(lastNumber)) }
        waiting.append(lastNumber)
        return (lastNumber, distribute(at: now))
    }

    /// Gives the workers what waits, in order, as far as they may have it now.
    mutating func distribute(at now: Duration) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        let draining = draining
        if !draining.isEmpty {
            actions = distribute(beside: draining, at: now)
        } else if let current {
            while let number = waiting.first, hasSpace(current) {
                waiting.removeFirst()
                actions += give(number, to: current, at: now)
            }
        }
        if waiting.count >= limits.waiting {
            isStalled = true
        } else if isStalled, waiting.count <= limits.waiting / 2 {
            isStalled = false
            actions.append(.resume)
        }
        return actions
    }

    /// Gives the workers what waits while others still finish what they have.
    ///
    /// What may answer a question goes to the worker that has asked it. What is said in a room in which an earlier worker isn't
    /// done waits for that, for a limited time. Nothing overtakes what waits in its room.
    private mutating func distribute(beside draining: [Int], at now: Duration) -> [GatewayAction] {
        var busy = busyRooms(of: draining, at: now)
        var held: Set<Room.ID> = []
        var rest: Deque<Int> = []
        var actions: [GatewayAction] = []
        for number in waiting {
            guard let message = entries[number]?.message else { continue }
            let room = message.room.id
            var target: Int?
            if !held.contains(room) {
                target = claimer(of: message, among: draining) ?? (busy.contains(room) ? nil : current)
            }
            if let target, hasSpace(target) {
                actions += give(number, to: target, at: now)
                if target != current, isHeld(for: target, at: now) { busy.insert(room) }
            } else {
                rest.append(number)
                held.insert(room)
            }
        }
        waiting = rest
        return actions
    }

    private func claimer(of message: Message, among draining: [Int]) -> Int? {
        draining.first { workers[$0]?.claims.contains { $0.mayCover(message) } == true }
    }

    /// The rooms whose messages wait for workers that finish what they have.
    private func busyRooms(of draining: [Int], at now: Duration) -> Set<Room.ID> {
        var rooms: Set<Room.ID> = []
        for generation in draining {
            guard isHeld(for: generation, at: now) else { continue }
            for number in workers[generation]?.open ?? [] {
                if let message = entries[number]?.message { rooms.insert(message.room.id) }
            }
        }
        return rooms
    }

    /// Whether the messages of rooms still wait for a worker that finishes what it has.
    private func isHeld(for generation: Int, at now: Duration) -> Bool {
        workers[generation].map { now - $0.since < limits.heldTime } ?? false
    }

    private func hasSpace(_ generation: Int) -> Bool {
        guard let worker = workers[generation] else { return false }
        return worker.open.count < limits.window
    }

    private mutating func give(_ number: Int, to generation: Int, at now: Duration) -> [GatewayAction] {
        guard var entry = entries[number] else { return [] }
        entry.worker = generation
        entry.attempt += 1
        let heard = entry.message
        entry.mayAnswer = workers[generation]?.claims.contains { $0.mayCover(heard) } == true
        entries[number] = entry
        // From now on its silence counts.
        if workers[generation]?.open.isEmpty == true { workers[generation]?.lastHeard = now }
        workers[generation]?.open.insert(number)
        let message = NumberedMessage(number: number, attempt: entry.attempt, message: entry.message)
        return [.send(.message(message), to: generation)]
    }

    /// Makes messages wait again, before newer ones.
    mutating func putBack(_ numbers: some Sequence<Int>) {
        let back = numbers.filter { entries[$0] != nil }
        guard !back.isEmpty else { return }
        for number in back { entries[number]?.worker = nil }
        waiting = Deque((back + Array(waiting)).sorted())
    }

    /// A message can't be sent to workers, such as one that is too long.
    package mutating func refused(_ number: Int) -> [GatewayAction] { finish(number) }

    /// A message is done.
    mutating func finish(_ number: Int) -> [GatewayAction] {
        guard let entry = entries.removeValue(forKey: number) else { return [] }
        if let worker = entry.worker { workers[worker]?.open.remove(number) }
        return [.finish(number: number)]
    }
}
