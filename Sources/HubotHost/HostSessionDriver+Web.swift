import Heybot
import HeybotSupport

extension HostSessionDriver {
    private static let restarting = WebRefusal(503, "The scripts are restarting. Please try again.")

    /// Has the scripts answer a web request.
    ///
    /// - Throws: ``WebRefusal`` if they can't, or if their process ends before they have answered.
    func answer(_ request: UnroutedRequest) async throws -> WebResponse {
        let head = WebRequestHead(
            method: request.method.rawValue, url: request.target,
            headers: request.headers.fields.map { [$0.name, $0.value] },
            client: request.client)
        let promise = OneShotPromise<WebAnswer?>()
        let id = change { state -> Int? in
            guard let (id, actions) = state.session.request(head, body: request.body) else { return nil }
            state.requests[id] = promise
            self.carryOut(actions, &state)
            return id
        }
        guard let id else { throw Self.restarting }
        let answer = await withTaskCancellationHandler {
            await promise.value()
        } onCancel: {
            change { state in
                state.requests.removeValue(forKey: id)?.fulfill(nil)
                self.carryOut(state.session.close(request: id), &state)
            }
        }
        try Task.checkCancellation()
        guard let answer else { throw Self.restarting }
        var response = WebResponse(status: answer.status, body: answer.body)
        for header in answer.headers where header.count == 2 && header[0].lowercased() != "content-length" {
            response.headers.add(header[1], for: header[0])
        }
        return response
    }
}
