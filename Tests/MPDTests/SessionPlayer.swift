import HeybotMPD

/// Plays a transcript: what the player sends, what callers request, and what the session does.
struct SessionPlayer {
    private(set) var session: MPDSession
    /// What the session did that wasn't looked at yet, a line each.
    private var done: [String] = []

    init(password: String? = nil) {
        session = MPDSession(password: password)
    }

    /// Creates the session of a player that has greeted, and waits for changes.
    static func idling() -> SessionPlayer {
        var player = SessionPlayer()
        player.receives("OK MPD 0.23.5\n")
        _ = player.takeDone()
        return player
    }

    mutating func receives(_ text: String) { receives(Array(text.utf8)) }

    mutating func receives(_ bytes: [UInt8]) {
        for action in session.handle(.received(bytes[...])) { done.append(Self.line(action)) }
    }

    mutating func requests(_ id: Int, _ commands: MPDCommand...) {
        for action in session.handle(.request(id, commands)) { done.append(Self.line(action)) }
    }

    mutating func cancels(_ id: Int) {
        for action in session.handle(.cancel(id)) { done.append(Self.line(action)) }
    }

    /// Returns what the session has done since the last call.
    mutating func takeDone() -> [String] {
        defer { done = [] }
        return done
    }

    private static func line(_ action: MPDSession.Action) -> String {
        switch action {
        case .send(let bytes):
            "> " + String(decoding: bytes.dropLast(), as: UTF8.self).replacing("\n", with: " | ")
        case .ready(let version): "ready \(version)"
        case .changed(let parts): "changed \(parts.joined(separator: " "))"
        case .fail(let reason): "fail \(reason)"
        case .answer(let id, .failure(let reason)): "\(id) failed: \(reason)"
        case .answer(let id, .success(let answers)):
            "\(id): "
                + answers.map { $0.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }
                .joined(separator: " | ")
        }
    }
}
