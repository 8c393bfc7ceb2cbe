/// Something that was found out about a robot before it goes live.
public struct CheckStep: Hashable, Sendable {
    /// How it is.
    public enum Outcome: Hashable, Sendable {
        /// It is as it should be; what there is.
        case passed(String)
        /// The robot can live with it, but somebody should look after it.
        case warned(String, cure: String)
        /// The robot couldn't do what it is to do.
        case failed(String, cure: String)
        /// It wasn't looked at, for that reason.
        case skipped(String)
    }

    /// What was looked at: a server, an account, a room.
    public let subject: String
    /// How it is.
    public let outcome: Outcome

    /// Makes a step of a check; neither its words nor those of its outcome may hold a secret.
    public init(_ subject: String, _ outcome: Outcome) {
        self.subject = subject
        self.outcome = outcome
    }
}
