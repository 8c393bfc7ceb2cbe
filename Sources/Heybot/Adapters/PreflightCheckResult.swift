/// The result of one preflight check.
public struct PreflightCheckResult: Hashable, Sendable {
    /// The outcome of a check.
    public enum Outcome: Hashable, Sendable {
        /// The check passed; the text says what was found.
        case passed(String)
        /// The robot works, but the operator should fix this.
        case warned(String, fix: String)
        /// The robot couldn't do its work.
        case failed(String, fix: String)
        /// The check was skipped, for the given reason.
        case skipped(String)
    }

    /// What was checked: a server, an account, a room.
    public let subject: String
    /// The outcome of the check.
    public let outcome: Outcome

    /// Creates a result.
    ///
    /// Neither the subject nor the texts of the outcome may contain a secret.
    public init(_ subject: String, _ outcome: Outcome) {
        self.subject = subject
        self.outcome = outcome
    }
}
