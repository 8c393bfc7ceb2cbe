import Heybot
import HeybotSupport
import Logging
import Synchronization

// What polling rooms brings.

extension CampfireAdapter {
    /// Polls the rooms until none is left, or the task is cancelled.
    func poll(_ inbox: Inbox) async {
        var readings = configuration.rooms.map {
            RoomReading($0, waitsForWebhook: configuration.webhookSecret != nil)
        }
        var failures = 0
        while !readings.isEmpty {
            let trouble = await round(&readings, inbox)
            if Task.isCancelled { return }
            if let trouble {
                failures += 1
                logger.log(level: failures == 1 ? .warning : .debug, "rooms can't be read: \(trouble)")
                standing.withLock { $0.markDown("\(trouble)", at: date()) }
            } else if !readings.isEmpty {
                if failures > 0 { logger.notice("rooms can be read again") }
                failures = 0
                standing.withLock { $0.markUp(at: date()) }
            }
            guard !readings.isEmpty, (try? await sleep(pause(after: failures))) != nil else { return }
        }
    }

    private var interval: Duration { max(configuration.pollInterval, .seconds(1)) }
    private static let longestPause = Duration.seconds(60)
    /// How many pages of a room are read at once; each has 40 messages.
    private static let mostPages = 10

    private func pause(after failures: Int) -> Duration {
        max(interval, Backoff(first: interval, longest: Self.longestPause).wait(after: failures))
    }

    /// Polls each room once that isn't left out; returns what went wrong, if that concerns all of them.
    private func round(_ readings: inout [RoomReading], _ inbox: Inbox) async -> CampfireError? {
        var trouble: CampfireError?
        for room in readings.map(\.room) {
            guard let index = readings.firstIndex(where: { $0.room == room }), readings[index].isDue() else { continue }
            do {
                let (entries, page) = try await read(&readings[index])
                if readings[index].succeed() { logger.notice("the room \(room) can be read again") }
                await hand(entries, in: self.room(room, page.roomName, isPrivate: page.isDirect), to: inbox)
            } catch CampfireError.unknownRoom {
                logger.warning("polling ends: \(CampfireError.unknownRoom(room)), or get a newer Campfire")
                readings.remove(at: index)
            } catch CampfireError.trouble(let error) where error.code != .unreadable {
                // The other rooms are in the same place.
                return .trouble(error)
            } catch let error as CampfireError {
                if case .wrongKey = error { return error }
                let mostRest = Int(Self.longestPause / interval)
                let isNew = readings[index].fail(mostRest: mostRest)
                logger.log(level: isNew ? .warning : .debug, "the room \(room) can't be read: \(error)")
                trouble = error
            } catch {}
        }
        return readings.allSatisfy(\.isFailing) ? trouble : nil
    }

    /// What is new in a room, and the last page of it that was read: page by page, since there may be more than one.
    private func read(_ reading: inout RoomReading) async throws -> ([MessagePage.Entry], MessagePage) {
        var page = try await service.messages(in: reading.room)
        var entries = page.entries
        for number in 2... {
            guard let next = reading.nextPage(after: page) else { break }
            guard number <= Self.mostPages else {
                logger.warning("the room \(reading.room) had more between two polls than I could read")
                break
            }
            do {
                page = try await service.messages(in: reading.room, before: next)
                entries += page.entries
            } catch CampfireError.unknownRoom {
                // That message was deleted meanwhile, or this Campfire has no pages.
                logger.warning("the room \(reading.room) had more between two polls than I could read")
                break
            }
        }
        return (reading.take(entries), page)
    }

    private func hand(_ entries: [MessagePage.Entry], in room: Room, to inbox: Inbox) async {
        let entries = messages.withLock { seen in entries.filter { seen.insert($0.id.text) } }
        guard !entries.isEmpty else { return }
        await inbox.receive(
            entries.map {
                let mention = withoutMention($0.text)
                return Message(
                    id: Message.ID(adapter: name, value: $0.id.text), user: user($0.creator.id, $0.creator.name),
                    room: room, content: .text(mention ?? $0.text), time: date(), isAddressed: mention != nil)
            })
    }

    /// The text without `@Marvin`, wherever that stands, as the webhook has it; nil if it isn't there.
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
