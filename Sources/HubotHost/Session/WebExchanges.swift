import FoundationEssentials

/// The web requests that scripts answer, with what has arrived of the answers.
struct WebExchanges: Sendable {
    /// The longest part of a body in one message, in bytes.
    private static let part = 192 << 10

    private enum State {
        /// It waits for a host that is starting.
        case waiting(WebRequestHead, [UInt8])
        case sent
        /// A part of the answer has arrived.
        case answering(WebAnswer)
    }

    private var exchanges: [Int: State] = [:]
    /// The requests that wait, in order.
    private var waiting: [Int] = []
    private var last = 0

    /// Adds a request.
    mutating func add(_ head: WebRequestHead, _ body: [UInt8]) -> Int {
        last += 1
        exchanges[last] = .waiting(head, body)
        return last
    }

    /// Sends a request that waits to the host.
    mutating func send(_ id: Int) -> [HostAction] {
        guard case .waiting(let head, let body) = exchanges[id] else { return [] }
        exchanges[id] = .sent
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
        switch exchanges.removeValue(forKey: id) {
        case nil, .waiting: return false
        case .sent, .answering: return true
        }
    }

    // MARK: Answers

    mutating func receive(_ head: WebResponseHead, _ part: WebBodyPart, limit: Int) -> [HostAction] {
        guard case .sent = exchanges[part.id] else { return [] }
        exchanges[part.id] = .answering(WebAnswer(status: head.status, headers: head.headers))
        return receive(part, limit: limit)
    }

    mutating func receive(_ part: WebBodyPart, limit: Int) -> [HostAction] {
        guard case .answering(var answer) = exchanges[part.id] else { return [] }
        // Without a second reference, the body isn't copied.
        exchanges[part.id] = .sent
        guard let bytes = part.bytes, part.error == nil, answer.body.count + bytes.count <= limit else {
            exchanges[part.id] = nil
            return [.write(.webClosed(id: part.id)), .answerRequest(id: part.id, nil)]
        }
        answer.body += bytes
        guard part.last == false else {
            exchanges[part.id] = nil
            return [.answerRequest(id: part.id, answer)]
        }
        exchanges[part.id] = .answering(answer)
        return []
    }

    /// The process has ended: the requests that it was answering fail, and the others wait for the next one.
    mutating func processEnded() -> [HostAction] {
        let lost = exchanges.filter { if case .waiting = $0.value { false } else { true } }.keys.sorted()
        for id in lost { exchanges[id] = nil }
        return lost.map { .answerRequest(id: $0, nil) }
    }

    /// There will be no host any more.
    mutating func close() -> [HostAction] {
        defer { (exchanges, waiting) = ([:], []) }
        return exchanges.keys.sorted().map { .answerRequest(id: $0, nil) }
    }
}

extension HostSession {
    /// Passes a web request to the scripts.
    ///
    /// - Returns: Its number, and what to do; nil if there is no host that could answer it.
    package mutating func request(_ head: WebRequestHead, body: [UInt8]) -> (id: Int, [HostAction])? {
        guard !isStopping else { return nil }
        let id = web.add(head, body)
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
