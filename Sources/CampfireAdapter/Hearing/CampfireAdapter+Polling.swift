import Heybot
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
                standing.withLock { $0.fail("\(trouble)", at: date()) }
            } else if !readings.isEmpty {
                if failures > 0 { logger.notice("rooms can be read again") }
                failures = 0
                standing.withLock { $0.succeed(at: date()) }
            }
            guard !readings.isEmpty, (try? await sleep(pause(after: failures))) != nil else { return }
        }
    }

    private func pause(after failures: Int) -> Duration {
        let interval = max(configuration.pollInterval, .seconds(1))
        return max(interval, min(interval * (1 << min(failures, 10)), .seconds(60)))
    }

    /// Polls each room once; returns what went wrong, if something did.
    private func round(_ readings: inout [RoomReading], _ inbox: Inbox) async -> CampfireError? {
        var trouble: CampfireError?
        for room in readings.map(\.room) {
            guard let index = readings.firstIndex(where: { $0.room == room }) else { continue }
            do {
                let page = try await service.messages(in: room)
                let (entries, hasGap) = readings[index].take(page)
                if hasGap { logger.warning("the room \(room) had more between two polls than I could read") }
                await hand(entries, in: self.room(room, page.roomName), to: inbox)
            } catch CampfireError.unknownRoom {
                logger.warning("polling ends: \(CampfireError.unknownRoom(room)), or get a newer Campfire")
                readings.remove(at: index)
            } catch CampfireError.trouble(let error) where error.code != .unreadable {
                // The other rooms are in the same place.
                return .trouble(error)
            } catch {
                trouble = error as? CampfireError
            }
        }
        return trouble
    }

    private func hand(_ entries: [MessagePage.Entry], in room: Room, to inbox: Inbox) async {
        let entries = messages.withLock { seen in entries.filter { seen.insert($0.id.text) } }
        guard !entries.isEmpty else { return }
        await inbox.receive(
            entries.map {
                Message(
                    id: Message.ID(adapter: name, value: $0.id.text), user: user($0.creator.id, $0.creator.name),
                    room: room, content: .text($0.text), time: date())
            })
    }
}
