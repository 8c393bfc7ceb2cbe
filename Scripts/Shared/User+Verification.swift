import Heybot

extension User {
    /// What an answer to a user who isn't verified says about networks where nobody can log in.
    var otherVerification: String {
        "If that network has no accounts, Heybot's guide to \(id.adapter) describes other ways to verify users."
    }
}
