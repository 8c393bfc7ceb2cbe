import Heybot
import HeybotSupport
import Logging
import Synchronization

// Receiving messages by polling rooms.

extension CampfireAdapter {
    /// Polls the rooms until none is left, or the task is canceled.
    func poll(_ inbox: Inbox) async {
        var cursors = configuration.rooms.map {
            RoomPollingState($0, waitsForWebhook: configuration.webhookSecret != nil)
        }
        var failures = 0
        while !cursors.isEmpty {
            let failure = await round(&cursors, inbox)
            if Task.isCancelled { return }
            if let failure {
                failures += 1
                logger.log(level: failures == 1 ? .warning : .debug, "can't poll any room: \(failure)")
                adapterStatus.withLock { $0.markDown("\(failure)", at: date()) }
            } else if !cursors.isEmpty {
                if failures > 0 { logger.notice("polling works again") }
                failures = 0
                adapterStatus.withLock { $0.markUp(at: date()) }
            }
            guard !cursors.isEmpty, (try? await sleep(pause(after: failures))) != nil else { return }
        }
    }

    private var interval: Duration { max(configuration.pollInterval, .seconds(1)) }
    private static let maxPause = Duration.seconds(60)
    /// How many pages of a room are read per poll; each has 40 messages.
    private static let maxPages = 10

    private func pause(after failures: Int) -> Duration {
        max(interval, Backoff(first: interval, longest: Self.maxPause).wait(after: failures))
    }

    /// Polls each room that isn't skipped.
    ///
    /// - Returns: The error, if it concerns all rooms.
    private func round(_ cursors: inout [RoomPollingState], _ inbox: Inbox) async -> CampfireError? {
        var failure: CampfireError?
        for room in cursors.map(\.room) {
            guard let index = cursors.firstIndex(where: { $0.room == room }), cursors[index].isDue() else { continue }
            do {
                let (entries, page) = try await read(&cursors[index])
                if cursors[index].succeed() { logger.notice("polling room \(room) works again") }
                await hand(entries, in: self.room(room, page.roomName, isPrivate: page.isDirect), to: inbox)
            } catch CampfireError.unknownRoom {
                logger.warning(
                    """
                    no longer polling the room \(SafeText.visible(room, limit: 64)): \
                    it doesn't exist, or the bot isn't in it, or this Campfire is too old to let bots read rooms
                    """)
                cursors.remove(at: index)
            } catch CampfireError.requestFailed(let error) where error.code != .unreadable {
                // The other rooms are on the same server.
                return .requestFailed(error)
            } catch let error as CampfireError {
                if case .wrongKey = error { return error }
                let maxSkipped = Int(Self.maxPause / interval)
                let isNew = cursors[index].fail(maxSkipped: maxSkipped)
                logger.log(level: isNew ? .warning : .debug, "can't poll the room \(room): \(error)")
                failure = error
            } catch {}
        }
        return cursors.allSatisfy(\.isFailing) ? failure : nil
    }

    /// Reads a room's new messages, page by page if necessary, and returns them with the last page.
    private func read(_ cursor: inout RoomPollingState) async throws -> ([MessagePage.Entry], MessagePage) {
        var page = try await api.messages(in: cursor.room)
        var entries = page.entries
        for number in 2... {
            guard let next = cursor.nextPage(after: page) else { break }
            guard number <= Self.maxPages else {
                warnOfMissedMessages(in: cursor.room)
                break
            }
            do {
                page = try await api.messages(in: cursor.room, before: next)
                entries += page.entries
            } catch CampfireError.unknownRoom {
                // The message was deleted meanwhile, or this Campfire doesn't support pages.
                warnOfMissedMessages(in: cursor.room)
                break
            }
        }
        return (cursor.advance(entries), page)
    }

    private func warnOfMissedMessages(in room: String) {
        logger.warning(
            "some messages in room \(room) were missed: more arrived since the last poll than one poll can fetch")
    }

    private func hand(_ entries: [MessagePage.Entry], in room: Room, to inbox: Inbox) async {
        let entries = messages.withLock { seen in entries.filter { seen.insert($0.id.text) } }
        guard !entries.isEmpty else { return }
        await inbox.receive(
            entries.map {
                let mention = withoutMention($0.text)
                return Message(
                    id: id($0.id.text), user: user($0.creator.id, $0.creator.name),
                    room: room, content: .text(mention ?? $0.text), time: date(), isAddressed: mention != nil)
            })
    }

    /// Removes mentions such as `@Marvin` anywhere in the text, as the webhook does; nil if there is none.
    private func withoutMention(_ text: String) -> String? {
        let name = "@\(robotName)".lowercased()
        var words: [Substring] = []
        var isThere = false
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let end = word.lastIndex { $0.isLetter || $0.isNumber }.map { word.index(after: $0) } ?? word.endIndex
            if word[..<end].lowercased() == name {
                isThere = true
            } else {
                words.append(word)
            }
        }
        guard isThere else { return nil }
        return String(words.joined(separator: " ").trimmingPrefix { $0.isWhitespace })
    }
}
