public import Heybot
import Logging
import Synchronization

// What the robot says: kept for the webhook's answer, or posted in its room's turn.

extension CampfireAdapter {
    /// Says it; returns when the Campfire has it, or it is to be the webhook's answer.
    ///
    /// - Throws: ``CampfireError`` where it can't be said, or nobody knows whether it was.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let room = envelope.room.id.value
        guard Identifier(room) != nil else { throw CampfireError.unknownRoom(room) }
        guard let saying = try Saying(utterance, to: envelope, as: robotName) else { return }
        let step = desk.withLock { $0.say(saying, in: room, answering: envelope.message) }
        guard case .post(let turn, let kept) = step else { return }
        if let kept { postLater(kept) }
        try await post(saying.body, turn)
    }

    /// Posts what was kept for an answer that can't be one any more.
    func postLater(_ kept: Desk.Kept) {
        errand.withLock { errand in
            let before = errand
            errand = Task {
                do {
                    try await post(kept.body, kept.turn)
                } catch {
                    logger.error("what I said in the room \(kept.turn.room) didn't get there: \(error)")
                }
                // So that the last one ends when all have.
                await before?.value
            }
        }
    }

    private func post(_ body: HTTPBody, _ turn: Turn) async throws {
        defer { desk.withLock { $0.leave(turn) } }
        try await turn.reached()
        var tries = 0
        while true {
            do {
                try await service.post(body, in: turn.room)
                return note(nil)
            } catch let error as CampfireError {
                note(error)
                guard let pause = Retry.pause(after: error, tries: tries) else { throw error }
                tries += 1
                logger.debug("\(error); trying again in \(pause)")
                try await sleep(pause)
            }
        }
    }

    /// How a post went tells how we stand, where polling doesn't.
    private func note(_ error: CampfireError?) {
        guard !isPolling.load(ordering: .relaxed) else { return }
        standing.withLock {
            switch error {
            case nil: $0.succeed(at: date())
            case .trouble(let error): $0.fail("\(error)", at: date())
            // It answers.
            default: break
            }
        }
    }
}
