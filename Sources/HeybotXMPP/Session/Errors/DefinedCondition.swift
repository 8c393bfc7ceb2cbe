/// A defined condition of a stanza error (RFC 6120 section 8.3.3), a stream error (section 4.9.3) or a SASL failure (section
/// 6.5).
///
/// Unknown conditions are kept as they are.
package struct DefinedCondition: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter name: The name of the element that stands for the condition.
    init(_ name: String) { description = name }

    package static let badRequest = Self("bad-request")
    package static let conflict = Self("conflict")
    package static let featureNotImplemented = Self("feature-not-implemented")
    package static let forbidden = Self("forbidden")
    package static let itemNotFound = Self("item-not-found")
    package static let notAcceptable = Self("not-acceptable")
    package static let notAllowed = Self("not-allowed")
    package static let notAuthorized = Self("not-authorized")
    package static let policyViolation = Self("policy-violation")
    package static let recipientUnavailable = Self("recipient-unavailable")
    package static let registrationRequired = Self("registration-required")
    package static let remoteServerNotFound = Self("remote-server-not-found")
    package static let remoteServerTimeout = Self("remote-server-timeout")
    package static let resourceConstraint = Self("resource-constraint")
    package static let serviceUnavailable = Self("service-unavailable")
    package static let undefinedCondition = Self("undefined-condition")

    // Stream errors.
    package static let hostUnknown = Self("host-unknown")
    package static let seeOtherHost = Self("see-other-host")
    package static let unsupportedVersion = Self("unsupported-version")

    // SASL failures.
    package static let accountDisabled = Self("account-disabled")
    package static let credentialsExpired = Self("credentials-expired")
    package static let temporaryAuthFailure = Self("temporary-auth-failure")

    // Conditions of the session itself.
    package static let notConnected = Self("not-connected")
    package static let cancelled = Self("cancelled")
}
