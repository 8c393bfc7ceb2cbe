import Heybot
import Logging

// From a request that is known to be GitHub's to the rooms.

extension GitHub {
    /// How it went to tell rooms.
    private struct Outcome {
        var told = 0
        /// Those that had been told before.
        var knew = 0
        var failed = 0
    }

    /// Tells the rooms what the request is about.
    ///
    /// - Parameter rooms: Those that are to be told of that.
    static func answer(
        _ request: WebRequest, _ recent: RecentDeliveries, _ failing: FailingChecks,
        rooms: (News) async throws -> [Room.ID]
    ) async throws -> WebResponse {
        guard let event = request.headers["X-GitHub-Event"], !event.isEmpty else {
            throw WebRefusal(400, "The header X-GitHub-Event is missing.")
        }
        guard let news = try News.read(event, request, failing) else {
            return .text("not told: rooms aren't told of this \(String(oneLine: event, limit: 60)) event", status: 202)
        }
        let switches = request.robot.switches
        let rooms = try await rooms(news)
            .filter { switches.isOn(request.route.script, in: Room(id: $0)) }
        let outcome = await tell(rooms, news.text, id(of: news, request), request, recent)
        if outcome.told == 0, outcome.failed > 0 {
            throw WebRefusal(503, "No room could be told: \(outcome.failed) failed.")
        }
        return .text(news.isPing ? "pong" : text(of: outcome, news))
    }

    /// What is told once: an event, or that a webhook works, however often somebody tries it.
    private static func id(of news: News, _ request: WebRequest) -> String? {
        let hook = news.isPing ? request.headers["X-GitHub-Hook-ID"].map { "hook \($0)" } : nil
        return (hook ?? news.id ?? request.headers["X-GitHub-Delivery"]).map { String($0.prefix(400)) }
    }

    private static func tell(
        _ rooms: [Room.ID], _ text: String, _ id: String?, _ request: WebRequest, _ recent: RecentDeliveries
    ) async -> Outcome {
        var outcome = Outcome()
        for room in rooms {
            if let id, !recent.claim(id, for: room) {
                outcome.knew += 1
                continue
            }
            do {
                try await request.robot.messageRoom(room, text)
                outcome.told += 1
            } catch {
                if let id { recent.giveBack(id, for: room) }
                outcome.failed += 1
                request.logger.warning("a room can't be told: \(error)", metadata: ["room": "\(room)"])
            }
        }
        return outcome
    }

    private static func text(of outcome: Outcome, _ news: News) -> String {
        if outcome.told == 0 {
            return outcome.knew > 0 ? "told before" : "no room hears of \(news.repository?.fullName ?? "that")"
        }
        let rooms = "told in \(outcome.told) room\(outcome.told == 1 ? "" : "s")"
        return outcome.failed == 0 ? rooms : "\(rooms), \(outcome.failed) failed"
    }
}
