// What workers ask the adapters to do.

extension GatewaySession {
    /// Has an adapter carry out a worker's call, unless it has done so for an earlier worker.
    mutating func perform(_ call: AdapterCall, of generation: Int) -> [GatewayAction] {
        guard call.operation.hasOutcome else { return [.perform(call, token: nil)] }
        guard let worker = workers[generation], worker.underway < limits.underway else {
            let failure = CallOutcome.Failure(reason: "too many requests to adapters are under way")
            return [.send(.result(call: call.call, CallOutcome(failure: failure)), to: generation)]
        }
        guard let number = call.number, let index = call.index, let place = call.place, let entry = entries[number]
        else { return begin(call, of: generation, from: nil) }
        // Another worker handles the message now.
        guard entry.worker == generation else { return [] }
        let known = entry.calls[place, default: []]
        guard known.indices.contains(index) else {
            let isNext = index == known.count && index < limits.calls && entry.calls.count < limits.calls
            let origin = CallOrigin(number: number, place: place, index: index)
            return begin(call, of: generation, from: isNext ? origin : nil)
        }
        switch known[index] {
        case .over(let outcome):
            return [.send(.result(call: call.call, outcome), to: generation)]
        case .underway(let token):
            calls[token]?.generation = generation
            calls[token]?.call = call.call
            workers[generation]?.underway += 1
            return []
        }
    }

    private mutating func begin(
        _ call: AdapterCall, of generation: Int, from origin: CallOrigin?
    ) -> [GatewayAction] {
        lastToken += 1
        calls[lastToken] = Asker(generation: generation, call: call.call, origin: origin)
        workers[generation]?.underway += 1
        if let origin {
            entries[origin.number]?.calls[origin.place, default: []].append(.underway(token: lastToken))
        }
        return [.perform(call, token: lastToken)]
    }

    /// An adapter has carried out a call, or can't.
    package mutating func performed(_ token: Int, _ outcome: CallOutcome) -> [GatewayAction] {
        guard let asker = calls.removeValue(forKey: token) else { return [] }
        if let origin = asker.origin,
            entries[origin.number]?.calls[origin.place]?.indices.contains(origin.index) == true
        {
            entries[origin.number]?.calls[origin.place]?[origin.index] = .over(outcome)
        }
        guard let worker = workers[asker.generation] else { return [] }
        workers[asker.generation]?.underway -= 1
        guard worker.phase != .fenced else { return [] }
        return [.send(.result(call: asker.call, outcome), to: asker.generation)]
    }
}
