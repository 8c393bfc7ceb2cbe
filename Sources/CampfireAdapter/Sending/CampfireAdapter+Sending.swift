public import Heybot
import Logging
import Synchronization

// Sending messages: held as a webhook response, or posted in the room's order.

extension CampfireAdapter: SoundPlaying {
    public func text(playing sound: String) -> String { "/play \(sound)" }

    /// Sends an utterance.
    ///
    /// Returns when the Campfire has received it, when it is held as a webhook response, or when the first attempt has failed for
    /// a temporary reason: then it is retried for some minutes, and a later failure is logged.
    ///
    /// - Throws: ``CampfireError`` if it can't be sent.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let room = envelope.room.id.value
        guard CampfireID(room) != nil else { throw CampfireError.unknownRoom(room) }
        guard let post = try EncodedPost(utterance, to: envelope, as: robotName) else { return }
        switch queue.withLock({ $0.say(post, in: room, answering: envelope.message) }) {
        case .held: return
        case .refused: throw CampfireError.queueFull(room)
        case .post(let ticket, let held):
            if let held { postLater(held.post, held.ticket) }
            try await send(post, ticket)
        }
    }

    private func send(_ post: EncodedPost, _ ticket: QueueTicket) async throws {
        let isReached: Bool
        do {
            isReached = try await ticket.reached()
        } catch {
            queue.withLock { $0.leave(ticket) }
            throw error
        }
        // The script has a deadline, and an outage may last longer.
        guard isReached else { return postLater(post, ticket) }
        let (results, result) = AsyncThrowingStream<Never, any Error>.makeStream()
        postLater(post, ticket, isTurn: true, result)
        for try await _ in results {}
        try Task.checkCancellation()
    }

    /// Posts in a task of its own, in order and with retries.
    ///
    /// - Parameter result: Receives the outcome of the first attempt, unless it will be retried; nil to log failures.
    func postLater(
        _ post: EncodedPost, _ ticket: QueueTicket, isTurn: Bool = false,
        _ result: AsyncThrowingStream<Never, any Error>.Continuation? = nil
    ) {
        backgroundPosts.withLock { backgroundPosts in
            let before = backgroundPosts
            backgroundPosts = Task {
                do {
                    var isReached = isTurn
                    while !isReached { isReached = try await ticket.reached() }
                    try await deliver(post, ticket) { result?.finish() }
                    result?.finish()
                } catch {
                    // The posts behind it have attempts of their own.
                    let isReported =
                        if case .terminated = result?.yield(with: .failure(error)) { false } else { result != nil }
                    if case CampfireError.wrongKey = error {
                        log(error, ticket)
                    } else if !isReported {
                        log(error, ticket)
                    }
                }
                queue.withLock { $0.leave(ticket) }
                // So that the last task ends after all others.
                await before?.value
            }
        }
    }

    /// A failure after which it can't be determined whether the message was posted.
    private struct UncertainDeliveryError: Error {
        let cause: CampfireError

        init(_ cause: CampfireError) {
            self.cause = cause
        }
    }

    private func log(_ error: any Error, _ ticket: QueueTicket) {
        logger.error("couldn't send a message to room \(ticket.room): \(error)")
    }

    /// Posts with retries.
    ///
    /// - Parameter goOn: Called before the first retry.
    private func deliver(_ post: EncodedPost, _ ticket: QueueTicket, beforeFirstRetry: () -> Void) async throws {
        var tries = 0
        var doubt: CampfireError?
        while true {
            do {
                if let doubt, try await isSaid(post, ticket, after: doubt) { return note(nil) }
                let id = try await api.post(post.body, in: ticket.room)
                if let id { posted.withLock { $0[ticket.room] = id } }
                return note(nil)
            } catch let error as UncertainDeliveryError {
                throw error.cause
            } catch let error as CampfireError {
                note(error)
                if RetryPolicy.mayHaveBeenSaid(error) { doubt = error }
                guard let pause = RetryPolicy.pause(after: error, tries: tries) else { throw error }
                if tries == 0 {
                    queue.withLock { $0.delay(ticket) }
                    beforeFirstRetry()
                }
                tries += 1
                logger.debug("\(error); trying again in \(pause)")
                guard await sleeps.sleep(pause, sleep) else { throw error }
            }
        }
    }

    /// Whether a room shows the message already, after an attempt with an unclear outcome.
    ///
    /// - Throws: ``CampfireError``; the original failure if it can't be determined, so that nothing is posted twice.
    private func isSaid(_ post: EncodedPost, _ ticket: QueueTicket, after doubt: CampfireError) async throws -> Bool {
        // A file can't be distinguished from another with the same name.
        guard let text = post.text else { throw UncertainDeliveryError(doubt) }
        func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        let known = [posted.withLock { $0[ticket.room] }, ticket.message.flatMap { CampfireID($0.value) }]
            .compactMap { $0 }.filter(\.isNumber).max()
        let page: MessagePage
        do {
            page = try await api.messages(in: ticket.room)
        } catch CampfireError.unknownRoom {
            // Bots can't read messages on this Campfire.
            throw UncertainDeliveryError(doubt)
        }
        let own = page.entries
            .filter { $0.creator.id.text == api.botID }.sorted { $0.id < $1.id }
        if let known { return own.contains { $0.id > known && squeezed($0.text) == squeezed(text) } }
        return own.last.map { squeezed($0.text) == squeezed(text) } ?? false
    }

    /// Updates the adapter's status after a post, unless polling determines it.
    private func note(_ error: CampfireError?) {
        guard !isPolling.load(ordering: .relaxed) else { return }
        adapterStatus.withLock {
            switch error {
            case nil: $0.markUp(at: date())
            case .requestFailed(let error): $0.markDown("\(error)", at: date())
            // The server is reachable.
            default: break
            }
        }
    }
}
