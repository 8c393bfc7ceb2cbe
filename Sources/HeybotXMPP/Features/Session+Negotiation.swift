// The features that a session negotiates.

import HeybotSASL

extension Session {
    /// Returns the negotiation of a new stream's features.
    ///
    /// - Parameters:
    ///   - last: The mechanism of the previous login; nil if there was none.
    ///   - resource: The resource to request; nil for one that the server chooses.
    ///   - resumption: Resumes a session; nil for a new one.
    static func negotiation(
        _ configuration: SessionConfiguration, isSecure: Bool, nonce: String, after last: Mechanism?, resource: String?,
        _ resumption: StreamResumption? = nil
    ) -> Negotiation {
        var features: [any StreamFeatureNegotiator] = configuration.usesTLS ? [StartTLS()] : []
        let attempts = LoginAttempts(
            configuration.credentials, preferring: configuration.mechanism, after: last, nonce: nonce)
        // The robot's first session takes the place of a killed robot by its resource, and gets what the server has kept.
        // One that begins with the login does neither: the server discards what it has kept, because the archive has it.
        let mayBind =
            resource == nil && configuration.installation != nil && configuration.missedMessageAge > .zero
        features.append(
            ExtensibleAuthentication(
                attempts, installation: configuration.installation, mayBind: mayBind, resumption))
        features.append(Authentication(attempts))
        if let resumption { features.append(resumption) }
        features.append(ResourceBinding(requesting: resource))
        features.append(SessionEstablishment())
        return Negotiation(isSecure ? .secure : [], requiresTLS: configuration.usesTLS, features)
    }
}
