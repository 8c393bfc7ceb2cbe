package import FoundationEssentials
package import Heybot
import HeybotSockets

extension PreflightCheckResult {
    /// The result of connecting to a server.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - limit: How long it was allowed to take.
    ///   - wantsTLS: Whether encryption is required.
    package init<LogEntry, Snapshot>(
        reaching server: String, _ probe: PreflightProbe<LogEntry>.Observations<Snapshot>, within limit: Duration,
        wantsTLS: Bool,
        _ names: ConnectionOptionNamesInHints, at now: Date
    ) {
        let place = probe.connection?.endpoint.description ?? server
        guard let connection = probe.connection, !wantsTLS || probe.encryption != nil else {
            let cause = probe.failure?.cause
            let reason = probe.failure?.reason ?? "didn't answer within \(limit)"
            // The subject already names the server.
            let text = reason.hasPrefix("\(place) ") ? String(reason.dropFirst(place.count + 1)) : reason
            let usual = probe.connection == nil ? names.place : names.missingTLS
            self.init(place, .failed(text, fix: cause.map(names.fix) ?? usual))
            return
        }
        let text = connection.remoteAddress.map { "connected to \($0)" } ?? "connected"
        if let encryption = probe.encryption {
            self.init(place, Self.outcome(text, encryption, at: now))
        } else if connection.endpoint.isOnThisMachine {
            self.init(place, .passed("\(text), not encrypted"))
        } else {
            self.init(
                place, .warned("\(text), not encrypted: others can read and change what is sent", fix: names.encrypt))
        }
    }

    /// Automatic renewal should have happened this many days before a certificate expires.
    private static var renewalDays: Int { 14 }

    private static func outcome(_ text: String, _ encryption: TLSConnectionSummary, at now: Date) -> Outcome {
        let names = encryption.names.prefix(3).joined(separator: ", ")
        let text = "\(text), \(encryption.version), certificate\(names.isEmpty ? "" : " for \(names)")"
        guard let end = encryption.end else { return .passed(text) }
        let days = Int(((Double(end) - now.timeIntervalSince1970) / 86_400).rounded(.down))
        // Possible if the certificate is pinned, or verification is disabled.
        if days < 0 {
            return .warned("\(text), which has expired", fix: "ask the server's owner to renew the certificate")
        }
        let all = "\(text), which expires in \(days) day\(days == 1 ? "" : "s")"
        return days < renewalDays ? .warned(all, fix: "ask the server's owner to renew the certificate") : .passed(all)
    }
}
