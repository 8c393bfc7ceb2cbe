import Heybot
import HeybotSupport

extension HostSessionDriver {
    private static let restarting = WebRefusal(503, "The scripts are busy or restarting. Please try again.")
    private static let broken = WebRefusal(502, "The script's answer is incomplete or too long.")
    /// Fields of the connection between the script and the host (RFC 9110 section 7.6.1).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"
    ]

    /// Has the scripts answer a web request.
    ///
    /// - Throws: ``WebRefusal`` if they can't, or if their process ends before they have answered.
    func answer(_ request: FallbackRequest) async throws -> WebResponse {
        if let other = newerDriver(for: nil) { return try await other.answer(request) }
        let promise = OneShotPromise<WebOutcome>()
        let id = change { state -> Int? in
            let head = WebRequestHead(
                method: request.method.rawValue, url: request.target,
                headers: request.headers.fields.map { [$0.name, $0.value] }, client: request.client,
                disabled: disabledScripts(in: nil, state))
            guard let (id, actions) = state.session.request(head, body: request.body) else { return nil }
            state.requests[id] = promise
            self.carryOut(actions, &state)
            return id
        }
        guard let id else { throw Self.restarting }
        let outcome = await withTaskCancellationHandler {
            await promise.value()
        } onCancel: {
            change { state in
                state.requests.removeValue(forKey: id)?.fulfill(.lost)
                self.carryOut(state.session.close(request: id), &state)
            }
        }
        try Task.checkCancellation()
        let answer: WebAnswer
        switch outcome {
        case .answered(let complete): answer = complete
        case .broken: throw Self.broken
        case .lost: throw Self.restarting
        case .handedOver:
            guard let other = successor else { throw Self.restarting }
            return try await other.answer(request)
        }
        var response = WebResponse(status: answer.status, body: answer.body)
        for header in answer.headers where header.count == 2 {
            let name = header[0].lowercased()
            // The server sets the length, but doesn't know that of an answer to HEAD.
            let isLength = name == "content-length" && request.method != .head
            if !isLength, !Self.hopByHop.contains(name) { response.headers.add(header[1], for: header[0]) }
        }
        return response
    }
}
