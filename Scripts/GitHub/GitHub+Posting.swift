import Heybot
import Logging

// Posts a verified webhook request in the rooms.

extension GitHub {
    /// The number of rooms by outcome.
    private struct PostOutcomeCounts {
        var sent = 0
        /// The rooms that had got the announcement before.
        var duplicates = 0
        var failed = 0
    }

    /// Posts the request's announcement, and returns the response.
    ///
    /// - Parameter rooms: Returns the rooms for an announcement.
    static func answer(
        _ request: WebRequest, _ recent: RecentDeliveries, _ failing: FailingChecks,
        rooms: (EventAnnouncement) async throws -> [Room.ID]
    ) async throws -> WebResponse {
        guard let event = request.headers["X-GitHub-Event"], !event.isEmpty else {
            throw WebRefusal(400, "The header X-GitHub-Event is missing.")
        }
        if event == "deployment_status" { await emitDeploymentStatus(of: request) }
        guard let announcement = try EventAnnouncement.read(event, request, failing) else {
            return .text("ignored: I don't post this \(String(oneLine: event, limit: 60)) event", status: 202)
        }
        let switches = request.robot.switches
        let rooms = try await rooms(announcement)
            .filter { switches.isOn(request.route.script, in: Room(id: $0)) }
        let outcome = await post(to: rooms, announcement.text, id(of: announcement, request), request, recent)
        if outcome.sent == 0, outcome.failed > 0 {
            let rooms = outcome.failed == 1 ? "the room" : "any of the \(outcome.failed) rooms"
            throw WebRefusal(503, "I couldn't post in \(rooms).")
        }
        return .text(announcement.isPing ? "pong" : text(of: outcome, announcement))
    }

    /// The id by which duplicates are detected: the event's or the delivery's; the webhook's for a ping, however often it is
    /// tested.
    private static func id(of announcement: EventAnnouncement, _ request: WebRequest) -> String? {
        let hook = announcement.isPing ? request.headers["X-GitHub-Hook-ID"].map { "hook \($0)" } : nil
        return (hook ?? announcement.id ?? request.headers["X-GitHub-Delivery"]).map { String($0.prefix(400)) }
    }

    private static func post(
        to rooms: [Room.ID], _ text: String, _ id: String?, _ request: WebRequest, _ recent: RecentDeliveries
    ) async -> PostOutcomeCounts {
        var outcome = PostOutcomeCounts()
        for room in rooms {
            if let id, !recent.claim(id, for: room) {
                outcome.duplicates += 1
                continue
            }
            do {
                try await request.robot.messageRoom(room, text)
                outcome.sent += 1
            } catch {
                if let id { recent.release(id, for: room) }
                outcome.failed += 1
                request.logger.warning("couldn't post in a room: \(error)", metadata: ["room": "\(room)"])
            }
        }
        return outcome
    }

    private static func text(of outcome: PostOutcomeCounts, _ announcement: EventAnnouncement) -> String {
        if outcome.sent == 0 {
            if outcome.duplicates > 0 { return "already posted" }
            return "no room gets this event\(announcement.repository.map { " of \($0.fullName)" } ?? "")"
        }
        let rooms = "posted in \(outcome.sent) room\(outcome.sent == 1 ? "" : "s")"
        return outcome.failed == 0 ? rooms : "\(rooms), \(outcome.failed) failed"
    }
}
