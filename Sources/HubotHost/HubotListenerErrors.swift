import Heybot

/// The process of Hubot scripts has ended before it answered.
struct HostLost: UserFacingError, Hashable, CustomStringConvertible {
    let script: String
    /// Whether the listener is known to have matched, because it has sent something.
    var hasMatched = false

    var userMessage: String { "Sorry, \(script) has just crashed. Please say that again." }
    var isFailure: Bool { true }
    var description: String { "the Hubot scripts' process ended before \(script) answered" }
}

/// Another version of the Hubot scripts has taken over before this one was asked.
struct HostReplaced: Error {}

/// A listener of a Hubot script has thrown an error.
struct HubotListenerError: Error, Hashable, CustomStringConvertible {
    let description: String
}
