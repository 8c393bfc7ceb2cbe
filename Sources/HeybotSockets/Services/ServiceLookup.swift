import CResolv
import HeybotSupport

/// Asks DNS where a domain offers a service (RFC 2782).
package struct ServiceLookup: Sendable {
    private let server: (address: String, port: Int)?
    private let timeout: Duration

    /// One that asks the system's name servers, or another one.
    ///
    /// - Parameters:
    ///   - server: An IPv4 address and a port; for tests.
    ///   - timeout: How long a look-up may take in all.
    package init(server: (address: String, port: Int)? = nil, timeout: Duration = .seconds(5)) {
        self.server = server
        self.timeout = timeout
    }

    /// The records of a name like `_xmpp-client._tcp.example.org`, at most 64, in no order (see `ServiceRecord.inOrder`).
    ///
    /// Either they all lead to hosts, or there is one whose target is `.notOffered`, or there are none, if the name
    /// doesn't exist or has no such records. Throws if that can't be told now. Domains may be internationalised, or
    /// given as `xn--…`.
    ///
    /// Cancelling the task stops the wait at once; the resolver's thread ends in its own time.
    package func records(for name: String) async throws(LookupError) -> [ServiceRecord] {
        guard let domain = DomainName(name), let host = domain.hostName else { throw .badName(name) }
        if Task.isCancelled { throw .cancelled(name) }
        let answer = OneShot<Result<[ServiceRecord], LookupError>>()
        // The resolver blocks, and can't be stopped.
        let isStarted = OSThread.start {
            answer.give(Result { () throws(LookupError) in try ask(host, domain, name) })
        }
        guard isStarted else { throw .unusable(name, reason: "the system has no thread to give") }
        let deadline = Task { [timeout] in
            try await Task.sleep(for: timeout)
            answer.give(.failure(.slow(name, timeout)))
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.give(.failure(.cancelled(name)))
        }.get()
    }

    private func ask(_ host: String, _ domain: DomainName, _ name: String) throws(LookupError) -> [ServiceRecord] {
        if let server, !(1...65_535).contains(server.port) {
            throw .unusable(name, reason: "port \(server.port) isn't from 1 to 65535")
        }
        // Twice, since UDP loses some. The resolver counts whole seconds: the deadline sees to the rest.
        let seconds = min(max(timeout.components.seconds / 2, 1), 30)
        // No answer is longer, even by TCP.
        var bytes = [UInt8](repeating: 0, count: 65_535)
        let length = heybot_resolv_ask(
            host, 33, &bytes, CInt(bytes.count), server?.address, CInt(server?.port ?? 0), CInt(seconds), 2)
        switch Int(length) {
        case 0...:
            do {
                return try ServiceAnswer.records(in: Array(bytes.prefix(Int(length))), for: domain)
            } catch {
                throw .malformed(name, reason: error.description)
            }
        case CRESOLV_NO_NAME, CRESOLV_NO_DATA: return []
        case CRESOLV_REFUSED: throw .refused(name)
        case CRESOLV_UNUSABLE:
            let reason = server.map { "\($0.address) is no IPv4 address" }
            throw .unusable(name, reason: reason ?? "the resolver can't be set up; check /etc/resolv.conf")
        default: throw .unanswered(name)
        }
    }
}
