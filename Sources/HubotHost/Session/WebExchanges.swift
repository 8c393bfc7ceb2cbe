import FoundationEssentials

/// The web requests that scripts answer, with what has arrived of the answers.
struct WebExchanges: Sendable {
    /// The limits on all requests together, in bytes.
    private static let limit = (requests: 8 << 20, answers: 64 << 20)
    /// The longest part of a body in one message, in bytes.
    private static let part = 192 << 10

    private enum State {
        /// It waits for a host that is starting.
        case waiting(WebRequestHead, [UInt8])
        case sent
        /// A part of the answer has arrived.
        case answering(WebAnswer)
    }

    private struct Exchange {
        var state: State
        /// The size of the request's body.
        let size: Int
    }

    private var exchanges: [Int: Exchange] = [:]
    /// The requests that wait, in order.
    private var waiting: [Int] = []
    private var last = 0
    private var requestBytes = 0
    private var answerBytes = 0

    /// Adds a request; nil if the bodies of those that are open are too long.
    mutating func add(_ head: WebRequestHead, _ body: [UInt8]) -> Int? {
        guard exchanges.isEmpty || requestBytes + body.count <= Self.limit.requests else { return nil }
        last += 1
        requestBytes += body.count
        exchanges[last] = Exchange(state: .waiting(head, body), size: body.count)
        return last
    }

    private mutating func end(_ id: Int) -> Exchange? {
        guard let exchange = exchanges.removeValue(forKey: id) else { return nil }
        requestBytes -= exchange.size
        if case .answering(let answer) = exchange.state { answerBytes -= answer.body.count }
        return exchange
    }

    /// Sends a request that waits to the host.
    mutating func send(_ id: Int) -> [HostAction] {
        guard case .waiting(let head, let body) = exchanges[id]?.state else { return [] }
        exchanges[id]?.state = .sent
        var parts = stride(from: 0, to: body.count, by: Self.part).map { body[$0..<min($0 + Self.part, body.count)] }
        let first = parts.isEmpty ? nil : parts.removeFirst()
        var actions: [HostAction] = [
            .write(
                .webRequest(
                    head, WebBodyPart(id: id, body: first.map { Data($0).base64EncodedString() }, last: parts.isEmpty)))
        ]
        for (number, part) in parts.enumerated() {
            let isLast = number == parts.count - 1
            actions.append(
                .write(.webBody(WebBodyPart(id: id, body: Data(part).base64EncodedString(), last: isLast))))
        }
        return actions
    }

    /// Lets a request wait; false if too many wait already.
    mutating func wait(_ id: Int, limit: Int) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(id)
        return true
    }

    /// Sends the requests that have waited for the host.
    mutating func takeWaiting() -> [HostAction] {
        let ids = waiting
        waiting = []
        return ids.flatMap { send($0) }
    }

    /// Forgets a request; returns whether the host must know.
    mutating func remove(_ id: Int) -> Bool {
        waiting.removeAll { $0 == id }
        switch end(id)?.state {
        case nil, .waiting: return false
        case .sent, .answering: return true
        }
    }

    // MARK: Answers

    mutating func receive(_ head: WebResponseHead, _ part: WebBodyPart, limit: Int) -> [HostAction] {
        guard case .sent = exchanges[part.id]?.state else { return [] }
        exchanges[part.id]?.state = .answering(WebAnswer(status: head.status, headers: head.headers ?? []))
        return receive(part, limit: limit)
    }

    mutating func receive(_ part: WebBodyPart, limit: Int) -> [HostAction] {
        guard case .answering(var answer) = exchanges[part.id]?.state else { return [] }
        guard let bytes = part.bytes, part.error == nil, answer.body.count + bytes.count <= limit,
            answerBytes + bytes.count <= Self.limit.answers
        else {
            _ = end(part.id)
            return [.write(.webClosed(id: part.id)), .answerRequest(id: part.id, .broken)]
        }
        guard part.last == false else {
            _ = end(part.id)
            answer.body += bytes
            return [.answerRequest(id: part.id, .answered(answer))]
        }
        // Without a second reference, the body isn't copied.
        exchanges[part.id]?.state = .sent
        answer.body += bytes
        answerBytes += bytes.count
        exchanges[part.id]?.state = .answering(answer)
        return []
    }

    /// The process has ended: the requests that it was answering fail, and the others wait for the next one.
    mutating func processEnded() -> [HostAction] {
        let lost = exchanges.filter { if case .waiting = $0.value.state { false } else { true } }.keys.sorted()
        for id in lost { _ = end(id) }
        return lost.map { .answerRequest(id: $0, .lost) }
    }

    /// Another host takes over: it answers the requests that this one hasn't got yet.
    mutating func handOver() -> [HostAction] {
        defer { waiting = [] }
        return waiting.filter { end($0) != nil }.map { .answerRequest(id: $0, .handedOver) }
    }

    /// There will be no host any more.
    mutating func close() -> [HostAction] {
        defer { (exchanges, waiting, requestBytes, answerBytes) = ([:], [], 0, 0) }
        return exchanges.keys.sorted().map { .answerRequest(id: $0, .lost) }
    }
}

extension HostSession {
    /// Passes a web request to the scripts.
    ///
    /// - Returns: Its number, and what to do; nil if there is no host that could answer it, or if too many requests are open.
    package mutating func request(_ head: WebRequestHead, body: [UInt8]) -> (id: Int, [HostAction])? {
        guard !isStopping, !isRetiring, let id = web.add(head, body) else { return nil }
        if phase == .running { return (id, web.send(id)) }
        guard web.wait(id, limit: limits.waitingRequests) else {
            _ = web.remove(id)
            return nil
        }
        return (id, [])
    }

    /// Nobody waits for the answer to a web request any more.
    package mutating func close(request id: Int) -> [HostAction] {
        web.remove(id) ? [.write(.webClosed(id: id))] : []
    }
}
