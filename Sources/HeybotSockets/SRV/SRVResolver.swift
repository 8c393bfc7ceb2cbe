import CResolv
import HeybotSupport

/// Looks up SRV records (RFC 2782).
package struct SRVResolver: Sendable {
    private let server: (address: String, port: Int)?
    private let timeout: Duration

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - server: The IPv4 address and port of a name server, for tests; nil for the system's.
    ///   - timeout: The time limit of a lookup.
    package init(server: (address: String, port: Int)? = nil, timeout: Duration = .seconds(5)) {
        self.server = server
        self.timeout = timeout
    }

    /// Returns the records of a name such as `_xmpp-client._tcp.example.org`, at most 64, unsorted (see `SRVRecord.inOrder`).
    ///
    /// Either all lead to hosts, or there is one whose target is `.notOffered`, or there are none, if the name doesn't exist or
    /// has no such records. Domains may be internationalized, or written as `xn--…`.
    ///
    /// Cancellation stops the wait at once; the resolver's thread ends later.
    ///
    /// - Throws: ``SRVLookupError`` if the lookup fails.
    package func records(for name: String) async throws(SRVLookupError) -> [SRVRecord] {
        guard let domain = DNSName(name), let host = domain.hostName else { throw .badName(name) }
        if Task.isCancelled { throw .cancelled(name) }
        let answer = OneShotPromise<Result<[SRVRecord], SRVLookupError>>()
        // The system's resolver blocks, and can't be canceled.
        let isStarted = OSThread.start {
            answer.fulfill(Result { () throws(SRVLookupError) in try ask(host, domain, name) })
        }
        guard isStarted else { throw .unusable(name, reason: "the system can't create a thread") }
        let deadline = Task { [timeout] in
            try await Task.sleep(for: timeout)
            answer.fulfill(.failure(.timedOut(name, timeout)))
        }
        defer { deadline.cancel() }
        return try await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.fulfill(.failure(.cancelled(name)))
        }.get()
    }

    private func ask(_ host: String, _ domain: DNSName, _ name: String) throws(SRVLookupError) -> [SRVRecord] {
        if let server, !(1...65_535).contains(server.port) {
            throw .unusable(name, reason: "port \(server.port) isn't a number from 1 to 65535")
        }
        // Two attempts, because UDP may lose packets. The resolver's timeout is in whole seconds; the task above enforces the
        // exact limit.
        let seconds = min(max(timeout.components.seconds / 2, 1), 30)
        // The maximum length of a response, even over TCP.
        var bytes = [UInt8](repeating: 0, count: 65_535)
        let length = heybot_resolv_ask(
            host, 33, &bytes, CInt(bytes.count), server?.address, CInt(server?.port ?? 0), CInt(seconds), 2)
        switch Int(length) {
        case 0...:
            do {
                return try SRVResponseParser.records(in: Array(bytes.prefix(Int(length))), for: domain)
            } catch {
                throw .malformed(name, reason: error.description)
            }
        case CRESOLV_NO_NAME, CRESOLV_NO_DATA: return []
        case CRESOLV_REFUSED: throw .refused(name)
        case CRESOLV_UNUSABLE:
            let reason = server.map { "\($0.address) isn't an IPv4 address" }
            throw .unusable(name, reason: reason ?? "the resolver can't be set up; check /etc/resolv.conf")
        default: throw .unanswered(name)
        }
    }
}
