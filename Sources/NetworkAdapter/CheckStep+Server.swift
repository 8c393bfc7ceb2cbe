package import FoundationEssentials
package import Heybot
import HeybotSockets

extension CheckStep {
    /// How reaching a server went.
    ///
    /// - Parameters:
    ///   - server: Where it should be.
    ///   - limit: How long that might take.
    ///   - wantsTLS: Whether it is to be encrypted.
    package init<Note, Look>(
        reaching server: String, _ visit: Rehearsal<Note>.Outcome<Look>, within limit: Duration, wantsTLS: Bool,
        _ names: ConnectionOptionNames, at now: Date
    ) {
        let place = visit.connection?.endpoint.description ?? server
        guard let connection = visit.connection, !wantsTLS || visit.encryption != nil else {
            let cause = visit.trouble?.cause
            let reason = visit.trouble?.reason ?? "didn't answer within \(limit)"
            // It needn't be named twice.
            let words = reason.hasPrefix("\(place) ") ? String(reason.dropFirst(place.count + 1)) : reason
            let usual = visit.connection == nil ? names.place : names.missingTLS
            self.init(place, .failed(words, cure: cause.map(names.cure) ?? usual))
            return
        }
        let words = connection.remoteAddress.map { "connected to \($0)" } ?? "connected"
        if let encryption = visit.encryption {
            self.init(place, Self.outcome(words, encryption, at: now))
        } else if connection.endpoint.isOnThisMachine {
            self.init(place, .passed("\(words), not encrypted"))
        } else {
            self.init(place, .warned("\(words), not encrypted: others can read and change it", cure: names.encrypt))
        }
    }

    /// So many days before its end a certificate should have been renewed by itself.
    private static var shortTime: Int { 14 }

    private static func outcome(_ words: String, _ encryption: Encryption, at now: Date) -> Outcome {
        let whom = encryption.names.prefix(3).joined(separator: ", ")
        let words = "\(words), \(encryption.version)\(whom.isEmpty ? "" : ", certificate for \(whom)")"
        guard let end = encryption.end else { return .passed(words) }
        let days = Int(((Double(end) - now.timeIntervalSince1970) / 86_400).rounded(.down))
        // If it is pinned, or nothing is checked.
        if days < 0 { return .warned("\(words), which has expired", cure: "have the server's owner renew it") }
        let all = "\(words), which ends in \(days) day\(days == 1 ? "" : "s")"
        return days < shortTime ? .warned(all, cure: "see that the server's owner renews it") : .passed(all)
    }
}
