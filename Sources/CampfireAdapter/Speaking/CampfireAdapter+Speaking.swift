public import Heybot
import Logging
import Synchronization

// What the robot says: kept for the webhook's answer, or posted in its room's turn.

extension CampfireAdapter {
    /// Says it; returns when the Campfire has it, or it is to be the webhook's answer, or the Campfire can't take it just now:
    /// then it is tried again for some minutes, and what fails after that is logged.
    ///
    /// - Throws: ``CampfireError`` if it can't be said.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let room = envelope.room.id.value
        guard Identifier(room) != nil else { throw CampfireError.unknownRoom(room) }
        guard let saying = try Saying(utterance, to: envelope, as: robotName) else { return }
        switch desk.withLock({ $0.say(saying, in: room, answering: envelope.message) }) {
        case .kept: return
        case .refused: throw CampfireError.crowded(room)
        case .post(let turn, let kept):
            if let kept { postLater(kept.saying, kept.turn) }
            try await post(saying, turn)
        }
    }

    private func post(_ saying: Saying, _ turn: Turn) async throws {
        let isReached: Bool
        do {
            isReached = try await turn.reached()
        } catch {
            desk.withLock { $0.leave(turn) }
            throw error
        }
        // What says it has a deadline, and an outage may last longer than that.
        guard isReached else { return postLater(saying, turn) }
        let (results, result) = AsyncThrowingStream<Never, any Error>.makeStream()
        postLater(saying, turn, isTurn: true, result)
        for try await _ in results {}
        try Task.checkCancellation()
    }

    /// Posts it on a task of its own, in its turn and as often as it takes.
    ///
    /// - Parameter result: Told how the first try went, but for one that will be followed by another; without it what fails is
    ///   logged.
    func postLater(
        _ saying: Saying, _ turn: Turn, isTurn: Bool = false,
        _ result: AsyncThrowingStream<Never, any Error>.Continuation? = nil
    ) {
        errand.withLock { errand in
            let before = errand
            errand = Task {
                do {
                    var isReached = isTurn
                    while !isReached { isReached = try await turn.reached() }
                    try await deliver(saying, turn) { result?.finish() }
                    result?.finish()
                } catch {
                    // Those behind it have a try of their own.
                    let isTold =
                        if case .terminated = result?.yield(with: .failure(error)) { false } else { result != nil }
                    if case CampfireError.wrongKey = error { log(error, turn) } else if !isTold { log(error, turn) }
                }
                desk.withLock { $0.leave(turn) }
                // So that the last one ends when all have.
                await before?.value
            }
        }
    }

    /// A failure after which nobody can find out whether it was said.
    private struct Unclear: Error {
        let cause: CampfireError

        init(_ cause: CampfireError) {
            self.cause = cause
        }
    }

    private func log(_ error: any Error, _ turn: Turn) {
        logger.error("what I said in the room \(turn.room) didn't get there: \(error)")
    }

    /// Tries until the Campfire has it.
    ///
    /// - Parameter goOn: Called before the first pause.
    private func deliver(_ saying: Saying, _ turn: Turn, goOn: () -> Void) async throws {
        var tries = 0
        var doubt: CampfireError?
        while true {
            do {
                if let doubt, try await isSaid(saying, turn, after: doubt) { return note(nil) }
                let id = try await service.post(saying.body, in: turn.room)
                if let id { posted.withLock { $0[turn.room] = id } }
                return note(nil)
            } catch let error as Unclear {
                throw error.cause
            } catch let error as CampfireError {
                note(error)
                if Retry.mayHaveBeenSaid(error) { doubt = error }
                guard let pause = Retry.pause(after: error, tries: tries) else { throw error }
                if tries == 0 {
                    desk.withLock { $0.delay(turn) }
                    goOn()
                }
                tries += 1
                logger.debug("\(error); trying again in \(pause)")
                guard await naps.sleep(pause, sleep) else { throw error }
            }
        }
    }

    /// Whether a room shows it already, after a try that failed in a way that doesn't tell.
    ///
    /// - Throws: ``CampfireError``; that failure if it can't be found out, so that nothing is said twice.
    private func isSaid(_ saying: Saying, _ turn: Turn, after doubt: CampfireError) async throws -> Bool {
        // A file can't be told from another of that name.
        guard let text = saying.text else { throw Unclear(doubt) }
        func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        let known = [posted.withLock { $0[turn.room] }, turn.message.flatMap { Identifier($0.value) }]
            .compactMap { $0 }.filter(\.isNumber).max()
        let page: MessagePage
        do {
            page = try await service.messages(in: turn.room)
        } catch CampfireError.unknownRoom {
            // This Campfire lets no bot read.
            throw Unclear(doubt)
        }
        let own = page.entries
            .filter { $0.creator.id.text == service.botID }.sorted { $0.id < $1.id }
        if let known { return own.contains { $0.id > known && squeezed($0.text) == squeezed(text) } }
        return own.last.map { squeezed($0.text) == squeezed(text) } ?? false
    }

    /// How a post went tells how we stand, if polling doesn't.
    private func note(_ error: CampfireError?) {
        guard !isPolling.load(ordering: .relaxed) else { return }
        standing.withLock {
            switch error {
            case nil: $0.markUp(at: date())
            case .trouble(let error): $0.markDown("\(error)", at: date())
            // It answers.
            default: break
            }
        }
    }
}
