package import HeybotXMPP
import NetworkAdapter

extension XMPPAdapter {
    /// Sends an IQ request (RFC 6120 section 8.2.3) and waits for the response.
    ///
    /// - Parameters:
    ///   - to: The addressee; nil for the server.
    ///   - limit: The timeout.
    /// - Returns: The payload of the response; nil if it is empty.
    /// - Throws: The ``HeybotXMPP/StanzaError`` in the response; `not-connected` if there is no connection,
    ///   `remote-server-timeout` if no response came in time, `cancelled` if the task was canceled.
    package func ask(
        _ payload: Element, _ type: String = "get", to: JID? = nil, within limit: Duration? = nil
    ) async throws(StanzaError) -> Element? {
        let name = driver.withLock { $0.nextIQRequestName() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.act { $0.ask(payload, type, to: to, within: limit, at: $1, as: name, continuation) }
                if Task.isCancelled { driver.withLock { $0.cancelIQRequest(name) } }
            }
        } onCancel: {
            driver.withLock { $0.cancelIQRequest(name) }
        }
        return try result.get()
    }
}
