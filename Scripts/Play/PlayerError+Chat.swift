import Heybot
import HeybotMPD

extension PlayerError: UserFacingError {
    /// A sentence for chat: what is wrong, and what to do.
    public var userMessage: String {
        switch reason {
        case .unreachable(let text):
            "No music: \(text). Start mpd there, or correct HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS."
        case .notAPlayer:
            "No music: the server at \(address) isn't an MPD. Correct HEYBOT_MPD_ADDRESS or HEYBOT_MPD_ROOMS."
        case .lost(mayBeDone: true):
            "The music player closed the connection. It may have carried out your command: to see, say \"what's playing\"."
        case .lost(mayBeDone: false): "The music player closed the connection. Try again."
        case .timedOut(mayBeDone: true):
            "The music player didn't answer. It may have carried out your command anyway: to see, say \"what's playing\"."
        case .timedOut(mayBeDone: false): "The music player doesn't answer. Try again later, or restart mpd."
        case .rejected(let error): "The music player reports: \(String(oneLine: error.message, limit: 200))."
        case .needsPassword: "The music player requires a password for that: set HEYBOT_MPD_PASSWORD."
        case .wrongPassword: "The music player doesn't accept my password: correct HEYBOT_MPD_PASSWORD."
        case .busy: "The music player is too busy. Try again in a moment."
        case .notInThisBuild: "I can't play music: I was built without support for music players."
        }
    }

    /// Whether it is logged and counted: false for what the player says about a request.
    public var isFailure: Bool {
        switch reason {
        case .rejected, .busy: false
        default: true
        }
    }
}

extension MPDCommandEncodingError: UserFacingError {
    /// A sentence for chat.
    public var userMessage: String {
        switch self {
        case .tooLong: "That's too long for the music player: use fewer words."
        case .lineBreak: "The music player can't handle line breaks."
        }
    }
}
