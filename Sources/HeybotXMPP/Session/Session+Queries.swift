// Sends IQ requests.

extension Session {
    /// Sends an IQ request (RFC 6120 section 8.2.3) to an address, or to the account's server; its result arrives as
    /// ``Action/answer(_:_:)`` with this name.
    ///
    /// The session answers with an error of its own, of type `wait`, if the response takes too long
    /// (`remote-server-timeout`), too many requests are unanswered (`resource-constraint`), or the session isn't logged in
    /// (`not-connected`).
    package mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, as name: String, within limit: Duration? = nil,
        at now: Duration
    ) -> [Action] {
        guard isOnline else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        }
        guard !requests.isFull else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .resourceConstraint)))]
        }
        let deadline = now + (limit ?? configuration.timeouts.response)
        return [.send(requests.ask(payload, type, to: to, for: .external(name), deadline: deadline))]
    }

    mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, for purpose: IQTracker.Purpose, at now: Duration
    ) -> Action {
        .send(requests.ask(payload, type, to: to, for: purpose, deadline: now + configuration.timeouts.response))
    }
}
