import GatewayLink
import Heybot

// What the robot does: questions to users, and calls of adapters.

extension LinkWorkerSession {
    // MARK: Questions

    /// A question is open, or over.
    mutating func questionChanged(_ claim: Claim, isOpen: Bool) -> [Action] {
        guard !isOver else { return [] }
        if isOpen {
            let number = Partitions.number(of: claim.room)
            guard let partition = owned[number] else { return [] }
            lastQuestion += 1
            let question = (
                claim: claim, id: "\(partition.token)-\(lastQuestion)", partition: number, token: partition.token
            )
            questions.append(question)
            owned[number]?.questions += 1
            return [.note(claim, id: question.id, isOpen: true, partition: number, token: partition.token)]
        }
        guard let index = questions.firstIndex(where: { $0.claim == claim }) else { return [] }
        let question = questions.remove(at: index)
        if owned[question.partition]?.token == question.token { owned[question.partition]?.questions -= 1 }
        return [
            .note(claim, id: question.id, isOpen: false, partition: question.partition, token: question.token)
        ] + leave()
    }

    // MARK: Calls

    /// The robot wants something from an adapter.
    ///
    /// If a message is handled again, its calls are recognized by their order in a place. What the robot itself says has a place of
    /// its own, because it may say it in one attempt only.
    ///
    /// - Returns: The call with its number, and how it is made. One for a message has to be ``settled(_:of:isMissing:)``.
    mutating func call(
        _ operation: AdapterOperation, of adapter: String, for message: Message.ID?, observer: String?,
        isNotice: Bool = false
    ) -> (AdapterCall, Route) {
        lastCall += 1
        var call = AdapterCall(call: lastCall, adapter: adapter, operation: operation)
        if observer != nil { (call.observed, call.observer) = (message, observer) }
        guard let id = message, let origin = open[id] else { return (call, .request(entry: "", partition: nil)) }
        if origin.isLost { return (call, .lost) }
        guard let place = call.place.map({ isNotice ? "notice \($0)" : $0 }) else {
            return (call, .request(entry: origin.entry.id, partition: origin.partition))
        }
        let index = origin.calls[place, default: 0]
        open[id]?.calls[place] = index + 1
        open[id]?.unsettled.insert(call.call)
        let field = "\(index) \(place)"
        return (call, .message(entry: origin.entry.id, partition: origin.partition, token: origin.token, place: field))
    }
}
