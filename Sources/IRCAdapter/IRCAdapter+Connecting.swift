import FoundationEssentials
import Heybot
import HeybotSockets
import NetworkAdapter

// Connecting, with the encryption that the settings or the server demand (IRCv3 strict transport security).

extension IRCAdapter {
    /// Connects to a server, and returns the reason when the connection has ended.
    ///
    /// If the server demands TLS over an unencrypted connection, connects again with TLS, at once. If it has demanded
    /// TLS before, connects with TLS and a verified certificate only, whatever the settings say.
    ///
    /// - Parameter farewell: How long the server may take to close the connection after the QUIT.
    func connect(to server: Endpoint, farewell: Duration = .seconds(1)) async -> ConnectionFailure {
        let configuration = configuration
        let isVerified = configuration.tls?.isVerified == true
        var known: EncryptionPolicy?
        do {
            known = try await policies.policy(of: server.host, at: driver.timeSource.date())
        } catch {
            // A verified connection can be made whatever the policy is.
            if !isVerified { return .unknownPolicy(of: server.host, "\(error)") }
        }
        guard let policy = known, !isVerified else {
            let failure = await connect(to: server, configuration.tls, farewell: farewell)
            guard let port = driver.withLock({ $0.takeEncryptedPort() }), !Task.isCancelled else { return failure }
            let encrypted = Endpoint(host: server.host, port: port)
            // The unencrypted connection may have been ready.
            driver.withLock { $0.state.status.begin() }
            return await connect(to: encrypted, configuration.verifiedTLS, farewell: farewell)
        }
        // A port that speaks TLS already stays.
        let port = configuration.tls == nil ? policy.port : server.port
        let encrypted = Endpoint(host: server.host, port: port)
        let failure = await connect(to: encrypted, configuration.verifiedTLS, farewell: farewell)
        let wasReady = driver.withLock { $0.state.status.readySince != nil }
        if failure.cause == nil || wasReady { return failure }
        return .demanded(until: policy.expires, by: server.host, failure)
    }

    /// Connects to an endpoint, and records what the server demands there.
    private func connect(to endpoint: Endpoint, _ tls: TLSOptions?, farewell: Duration) async -> ConnectionFailure {
        let (demands, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        // Without verification, an attacker may demand what the server doesn't.
        driver.withLock { $0.encryptionDemands = tls?.isVerified == true ? continuation : nil }
        let recording = Task { [policies, timeSource = driver.timeSource] in
            var last: Int?
            for await seconds in demands {
                await policies.record(seconds, of: endpoint.host, port: endpoint.port, at: timeSource.date())
                last = seconds
            }
            // The time counts from the end of the connection.
            guard let duration = last, duration > 0 else { return }
            await policies.record(duration, of: endpoint.host, port: endpoint.port, at: timeSource.date())
        }
        let failure = await driver.connect(
            to: endpoint, tls: tls, within: configuration.connection.connectTimeout, farewell: farewell)
        continuation.finish()
        await recording.value
        return failure
    }
}

extension TLSOptions {
    /// Whether the server's certificate is verified.
    fileprivate var isVerified: Bool { trust != .anyone }
}

extension ConnectionFailure {
    fileprivate static func unknownPolicy(of host: String, _ reason: String) -> Self {
        Self("can't find out whether \(host) demands TLS", fix: reason)
    }

    fileprivate static func demanded(until end: Date, by host: String, _ failure: Self) -> Self {
        let date = end.formatted(.iso8601)
        return Self(
            "\(failure.reason), and \(host) demands a verified TLS connection until \(date) (IRCv3 STS)",
            fix: "ask the server's owner to repair TLS there", isPermanent: failure.isPermanent)
    }
}
