/// A server's demand for encryption: the value of its capability `sts` (IRCv3 strict transport security).
struct TransportPolicy: Hashable, Sendable {
    /// The port for encrypted connections; nil if there is none, or it is invalid.
    let port: Int?
    /// For how many seconds only encrypted connections may be made, 0 for no longer; nil if it is missing or invalid.
    let duration: Int?

    /// The longest duration that is accepted: ten years.
    private static let maxDuration = 315_360_000
    /// More digits may not fit into an Int.
    private static let maxDigits = 18

    /// Parses keys with values, such as `duration=2592000,port=6697`.
    ///
    /// Unknown keys are ignored. A key that occurs twice counts as missing.
    init(_ value: String) {
        var values: [String: String?] = [:]
        for token in value.split(separator: ",") {
            let parts = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0])
            let isRepeated = values.keys.contains(key)
            values.updateValue(isRepeated || parts.count < 2 ? nil : String(parts[1]), forKey: key)
        }
        port = Self.number(values["port"].flatMap { $0 }).flatMap { (1...65_535).contains($0) ? $0 : nil }
        duration = Self.number(values["duration"].flatMap { $0 }).map { min($0, Self.maxDuration) }
    }

    private static func number(_ text: String?) -> Int? {
        guard let text, (1...maxDigits).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }
}

extension Session {
    /// Handles the server's demand for encryption in a `CAP` message.
    ///
    /// Over an unencrypted connection, only the port counts, and the session ends: an attacker could have written the
    /// duration. Over an encrypted one, only the duration counts. The demand can't be withdrawn by `CAP DEL`, only by
    /// the duration 0.
    mutating func handleTransportPolicy(_ message: IRCMessage) -> [Action] {
        let parameters = message.parameters
        guard parameters.count > 2, ["LS", "NEW"].contains(parameters[1].uppercased()),
            let name = parameters.last?.split(separator: " ").first(where: { $0.hasPrefix("sts=") })
        else { return [] }
        let policy = TransportPolicy(String(name.dropFirst("sts=".count)))
        if isSecure {
            guard let duration = policy.duration else { return [] }
            return [.requireEncryption(seconds: duration)]
        }
        guard let port = policy.port else { return [] }
        phase = .over
        return [.log(.encryptionRequired(port: port)), .reconnectEncrypted(port: port)]
    }
}
