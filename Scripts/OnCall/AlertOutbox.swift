import FoundationEssentials
import Heybot
import Logging

/// The events that wait to be passed on to services, in the brain.
///
/// The events of a page reach each service in order, also after failures and a restart.
struct AlertOutbox: Sendable {
    /// The events of one page for one service.
    private struct Entry: Codable, Sendable {
        let page: Page
        /// In order.
        var events: [AlertEvent]
        /// How often the first one has failed.
        var failures: Int
        var nextAttempt: Date
    }

    private enum Outcome: Sendable {
        case accepted
        /// The service refuses the event, with this status.
        case refused(Int)
        case failed(String)
    }

    private static let entries = BrainCollection<Entry>("oncall.events")
    private static let mostFailures = 8
    /// How long events wait for a robot that has the service's key, in seconds.
    private static let longestOverdue = 3_600.0
    /// The number of requests at a time, so that slow services don't exceed the deadline of a closure.
    private static let mostAtOnce = 4

    let services: [AlertService]

    /// Adds an event, for all services.
    func add(_ event: AlertEvent, of page: Page, _ robot: Robot) async throws {
        let entry = Entry(page: page, events: [], failures: 0, nextAttempt: robot.date)
        for service in services {
            try await robot.brain.update(Self.entries, Self.key(page, service), default: entry) { entry in
                entry.events.append(event)
            }
        }
    }

    /// Passes on the events that are due.
    func sendDue(_ robot: Robot) async throws {
        let now = robot.date
        var due: [(key: String, entry: Entry, service: AlertService)] = []
        for try await (key, entry) in robot.brain.entries(Self.entries) where entry.nextAttempt <= now {
            if let service = services.first(where: { Self.key(entry.page, $0) == key }) {
                due.append((key: key, entry: entry, service: service))
            } else if now.timeIntervalSince(entry.nextAttempt) >= Self.longestOverdue {
                // No robot with the same brain has the service's key any more.
                try await robot.brain.forget(Self.entries, key)
            }
        }
        due.sort { $0.entry.nextAttempt < $1.entry.nextAttempt }
        for (key, entry, service) in due.prefix(Self.mostAtOnce) {
            try await send(entry, key, to: service, robot)
        }
    }

    private func send(_ entry: Entry, _ key: String, to service: AlertService, _ robot: Robot) async throws {
        guard let event = entry.events.first else { return try await robot.brain.forget(Self.entries, key) }
        let outcome = try await attempt(event, entry.page, service, robot)
        let now = robot.date
        let rest: Entry? = try await robot.brain.update(Self.entries, key) { stored in
            // Another robot with the same brain may have been faster.
            guard var present = stored, present.events.first == event else { return nil }
            Self.apply(outcome, to: &present, at: now)
            stored = present.events.isEmpty ? nil : present
            return present
        }
        guard let rest else { return }
        let page = entry.page
        let delivery = PageDelivery(page: page, robot: robot)
        switch outcome {
        case .accepted:
            guard event == .trigger else { return }
            await delivery.send("Page \(page.number): \(service.name) has it too.")
        case .refused(let status):
            robot.logger.warning("\(service.name) refused page \(page.number) with status \(status)")
            await delivery.send(
                "Page \(page.number): \(service.name) refused it (status \(status)). Check \(service.keyVariable).")
        case .failed(let reason):
            guard rest.events.isEmpty else { return }
            robot.logger.warning("can't pass page \(page.number) on to \(service.name): \(reason)")
            await delivery.send("Page \(page.number): I can't reach \(service.name), so it doesn't have it.")
        }
    }

    private func attempt(
        _ event: AlertEvent, _ page: Page, _ service: AlertService, _ robot: Robot
    ) async throws -> Outcome {
        let request = try service.request(event, of: page, by: robot.name)
        do {
            let response = try await robot.http.send(request)
            if response.isSuccess { return .accepted }
            let isTemporary = response.status == 429 || response.status >= 500
            return isTemporary ? .failed("status \(response.status)") : .refused(response.status)
        } catch let error as HTTPError {
            return .failed("\(error)")
        }
    }

    /// Records the outcome of an attempt: after too many failures, or a refusal, no event is left.
    private static func apply(_ outcome: Outcome, to entry: inout Entry, at now: Date) {
        switch outcome {
        case .accepted:
            entry.events.removeFirst()
            entry.failures = 0
        case .refused: entry.events = []
        case .failed:
            let failures = min(max(entry.failures, 0), mostFailures) + 1
            if failures >= mostFailures { entry.events = [] }
            entry.failures = failures
            // From 30 seconds on, doubled each time.
            entry.nextAttempt = now.addingTimeInterval(15 * Double(1 << failures))
        }
    }

    private static func key(_ page: Page, _ service: AlertService) -> String { "\(page.number) \(service.name)" }
}
