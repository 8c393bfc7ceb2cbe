import FoundationEssentials
import Heybot

/// A deploy that somebody has asked for: its plan, how far it is, and every step so far.
///
/// It is a value: ``apply(_:at:)`` takes what has happened, adds a step to the record, and a line for the room.
struct TrackedDeploy: Codable, Hashable, Sendable, Identifiable {
    enum State: String, Codable, Sendable {
        /// The user is being asked, or a second user must approve.
        case asked
        /// The target is being asked. If the answer gets lost, it may have begun.
        case starting
        /// The target has it, and hasn't begun.
        case waiting
        case running
        case succeeded, failed
        /// GitHub marked it as no longer active.
        case inactive
        /// The target has refused it.
        case notStarted
        /// It was withdrawn, denied, or not confirmed.
        case refused
        /// It can't be known how it went.
        case unknown
    }

    /// A step in the record.
    struct Step: Codable, Hashable, Sendable {
        let date: Date
        let text: String
    }

    /// The greatest number of steps; later ones that don't end it aren't recorded.
    static let mostSteps = 50
    /// The greatest number of lines that wait for the room.
    private static let mostUnsent = 20

    let id: DeployID
    let plan: DeployPlan
    /// The robot's name.
    let robot: String
    /// A random text by which it is found on GitHub.
    let mark: String
    let asked: Date
    private(set) var state = State.asked
    /// The date of the last news.
    private(set) var changed: Date
    /// When the target was asked.
    private(set) var started: Date?
    /// The process that works on it, so that others know whether it was abandoned; nil if it needs none.
    private(set) var process: String?
    /// Its number on GitHub.
    private(set) var remoteID: Int?
    private(set) var sha: String?
    private(set) var lastStatus: Int?
    private(set) var link = ""
    private(set) var steps: [Step]
    /// The lines that the room hasn't got yet, in order.
    private(set) var unsent: [String] = []

    init(id: DeployID, _ plan: DeployPlan, robot: String, mark: String, process: String, at date: Date) {
        (self.id, self.plan, self.robot, self.mark, self.process) = (id, plan, robot, mark, process)
        (asked, changed) = (date, date)
        steps = [Step(date: date, text: "\(plan.userName) asked: \(plan.command)")]
    }

    /// Whether nothing more is to be done for it.
    var isOver: Bool {
        switch state {
        case .asked, .starting, .waiting, .running: false
        case .succeeded, .failed, .inactive, .notStarted, .refused, .unknown: true
        }
    }

    /// Such as `main (3fa9c2b)`.
    var version: String { versionText(sha) }

    func versionText(_ sha: String?) -> String {
        let ref = DeployPlan.short(plan.ref)
        guard let sha = sha.map({ String($0.prefix(7)) }), sha != ref else { return ref }
        return "\(ref) (\(sha))"
    }

    /// Applies what has happened.
    ///
    /// - Returns: False if that changes nothing: it is known already, or comes too late.
    @discardableResult
    mutating func apply(_ event: DeployEvent, at date: Date) -> Bool {
        guard let change = change(event, at: date) else { return false }
        let isSame = change.state == state && change.step == steps.last?.text
        update(event, at: date)
        changed = date
        guard !isSame else { return false }
        state = change.state
        if steps.count < Self.mostSteps || isOver, steps.count < Self.mostSteps * 2 {
            steps.append(Step(date: date, text: change.step))
        }
        if let line = change.line {
            if unsent.count >= Self.mostUnsent { unsent.removeFirst() }
            unsent.append("\(id): \(line)")
        }
        // A command runs in the process that has started it.
        let needsProcess = state == .asked || state == .starting || state == .running && plan.target == .command
        if !needsProcess || event.isGivenUp { process = nil }
        return true
    }

    /// The room has got a line.
    mutating func removeSent(_ line: String) {
        if unsent.first == line { unsent.removeFirst() }
    }

    /// Keeps what an event says beside its state.
    private mutating func update(_ event: DeployEvent, at date: Date) {
        switch event {
        case .started: started = date
        case .accepted(let remoteID, let sha):
            self.remoteID = remoteID ?? self.remoteID
            self.sha = sha ?? self.sha
        case .reported(let report):
            lastStatus = report.id ?? lastStatus
            if !report.link.isEmpty { link = report.link }
        default: break
        }
    }
}
