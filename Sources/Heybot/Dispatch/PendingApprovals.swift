import HeybotSupport
import Synchronization

/// A command that waits for the approval of a second user.
public struct PendingApproval: Hashable, Identifiable, Sendable {
    /// Its number, by which users approve or deny it.
    public let id: Int
    /// What is to be approved, in one line.
    public let command: String
    /// The user who wants it.
    public let requester: User
    /// The room in which it was asked for.
    public let room: Room
    /// The role that the second user needs.
    public let role: String
}

/// The commands that wait for the approval of a second user.
final class PendingApprovals: Sendable {
    /// The maximum number of a user's commands that wait at the same time, and of everyone's.
    private static let most = (perUser: 5, all: 100)

    private struct State {
        var last = 0
        var open: [Int: (approval: PendingApproval, question: Question)] = [:]
        var approvers: [Int: User] = [:]
    }

    private let state = Mutex(State())

    /// The commands that wait, the oldest first.
    var all: [PendingApproval] { state.withLock { $0.open.values.map(\.approval) }.sorted { $0.id < $1.id } }

    /// Adds a command.
    ///
    /// - Parameter first: The number before the first one.
    /// - Throws: A ``Refusal`` if too many wait.
    func add(
        _ command: String, of requester: User, in room: Room, by role: String, _ question: Question,
        after first: @autoclosure () -> Int
    ) throws -> PendingApproval {
        try state.withLock { state in
            let own = state.open.values.count { $0.approval.requester.id == requester.id }
            guard own < Self.most.perUser, state.open.count < Self.most.all else {
                throw Refusal("Too many commands are waiting for approval already.")
            }
            // After a restart, a number shouldn't be that of another command.
            if state.last == 0 { state.last = first() }
            state.last += 1
            let approval = PendingApproval(
                id: state.last, command: command, requester: requester, room: room, role: role)
            state.open[approval.id] = (approval, question)
            return approval
        }
    }

    /// Removes a command, and remembers who has approved it.
    ///
    /// - Returns: Its question, which the caller resolves; nil if it was removed before.
    func remove(_ id: Int, approver: User? = nil) -> Question? {
        state.withLock { state in
            guard let removed = state.open.removeValue(forKey: id) else { return nil }
            state.approvers[id] = approver
            return removed.question
        }
    }

    /// The user who has approved a command, once.
    func takeApprover(of id: Int) -> User? { state.withLock { $0.approvers.removeValue(forKey: id) } }
}

extension Dispatcher {
    /// Asks for the approval of a second user, and waits for it.
    ///
    /// - Returns: The user who has approved.
    /// - Throws: A ``Refusal`` if somebody has denied it, or nobody has approved it in time.
    func approval(
        by role: String, of command: String, within limit: Duration, _ context: ListenerRunContext
    ) async throws -> User {
        let message = context.message
        // Otherwise users could approve their own commands, with their account.
        guard !message.user.isAnonymous else {
            throw Refusal(
                "Somebody else must approve this, so I must be sure who you are: log in to your account first.")
        }
        let shown = SafeText.visible(command, limit: 200)
        guard shown.unicodeScalars.count == command.unicodeScalars.count else {
            throw Refusal("Say that in at most 200 plain characters, so that others can see what they approve.")
        }
        let question = Question(context, by: ScriptRun.current)
        let approval = try approvals.add(
            shown, of: message.user, in: message.room, by: role, question,
            after: context.robot.random(in: 100...899))
        let minutes = max(1, (limit.components.seconds + 30) / 60)
        do {
            let asked = try await context.send(
                .reply(
                    """
                    Somebody else with the \(role) role, or an admin, must approve this within \(minutes) min: say \
                    "approve \(approval.id)" or "deny \(approval.id)".
                    """))
            guard asked != nil else { throw Refusal("This needs an approval, but I couldn't ask for one.") }
        } catch {
            _ = approvals.remove(approval.id)
            _ = approvals.takeApprover(of: approval.id)
            throw error
        }
        let timer = runner.timers.after(limit) { [weak self] in
            self?.settle(approval, .failure(Refusal("Nobody has approved \(approval.command) in time.")))
        }
        defer { runner.timers.cancel(timer) }
        _ = try await withTaskCancellationHandler {
            try await question.answer()
        } onCancel: {
            settle(approval, .failure(CancellationError()))
        }
        guard let approver = approvals.takeApprover(of: approval.id) else { throw CancellationError() }
        return approver
    }

    /// Approves or denies a command in the name of a user.
    ///
    /// - Returns: The command; nil if it doesn't wait any more.
    /// - Throws: A ``Refusal`` if the user may not decide.
    func decide(_ id: Int, approves: Bool, _ user: User) throws -> PendingApproval? {
        guard let approval = approvals.all.first(where: { $0.id == id }) else { return nil }
        let isRequester = user.id == approval.requester.id
        // An anonymous user's id may be another user's.
        if !approves, isRequester, user.isAnonymous == approval.requester.isAnonymous {
            return settle(approval, .failure(Refusal("OK, I won't."))) ? approval : nil
        }
        let hasLinked = users.accounts(of: user).contains { $0.id == approval.requester.id }
        guard !isRequester, !approves || !hasLinked else { throw Refusal("Somebody else must approve that.") }
        // One person may have accounts that aren't linked, but the same name on two networks is most likely one person.
        let isSamePerson = user.name.lowercased() == approval.requester.name.lowercased()
        guard !approves || !isSamePerson else {
            throw Refusal("You have the same name as \(approval.requester.name), so somebody else must approve that.")
        }
        let roles = users.roles(of: user)
        guard roles.contains(approval.role) || roles.contains(Robot.adminRole) else {
            throw Refusal("You need the \(approval.role) role for that.")
        }
        let result: Result<String, any Error> =
            approves ? .success("") : .failure(Refusal("\(user.name) has denied \(approval.command)."))
        return settle(approval, result, approver: approves ? user : nil) ? approval : nil
    }

    /// Ends the wait for an approval; false if it has ended before.
    @discardableResult
    private func settle(
        _ approval: PendingApproval, _ result: Result<String, any Error>, approver: User? = nil
    ) -> Bool {
        guard let question = approvals.remove(approval.id, approver: approver) else { return false }
        resume(question, ConversationKey(question.context.message), result)
        return true
    }
}

extension Response {
    /// Asks the message's author to confirm something, with a question such as `This deletes all scores. Are you sure?`.
    ///
    /// As with ``ask(_:within:accepting:)``, once the author has said something else in the room, the answer has to be addressed to
    /// the robot. A reaction to the question, such as 👍, is an answer too. To go on after a no, use
    /// ``ask(_:for:within:)`` with `.yesOrNo`.
    ///
    /// - Throws: A ``Refusal`` if the answer isn't yes, or if the author hasn't just said the command, which may run at a time;
    ///   ``AskTimeoutError`` if there is no answer within the limit; ``QuestionAbandonedError`` if the author gives a command
    ///   instead.
    public func confirm(_ question: String, within limit: Duration = .minutes(5)) async throws {
        // What the author says next in the room may be meant for somebody else.
        guard isRequested else { throw Refusal("You must confirm that, so say it to me yourself.") }
        let answer = try await context.robot.dispatcher.ask(
            "\(question) (yes/no)", within: limit, takesReactions: true, accepting: { YesOrNo($0) != nil }, context)
        guard YesOrNo(answer) == .yes else { throw Refusal("OK, I won't.") }
    }

    /// Waits until a second user who has a role, or an admin, has approved something.
    ///
    /// Users approve in any room, and on any network. Meanwhile the closure's deadline is paused. The wait ends if the robot
    /// stops.
    ///
    /// - Parameters:
    ///   - role: The role that the second user needs.
    ///   - command: What is to be approved: one line of at most 200 characters.
    ///   - limit: How long the robot waits.
    /// - Returns: The user who has approved.
    /// - Throws: A ``Refusal`` if somebody has denied it, nobody has approved it within the limit, too many commands wait, the
    ///   message's author is anonymous, or the command can't be shown as it is.
    @discardableResult
    public func approval(
        by role: String, of command: String, within limit: Duration = .minutes(10)
    ) async throws -> User {
        try await context.robot.dispatcher.approval(by: role.lowercased(), of: command, within: limit, context)
    }
}

extension Robot {
    /// The commands that wait for the approval of a second user, the oldest first.
    public var pendingApprovals: [PendingApproval] { dispatcher.approvals.all }

    /// Approves or denies a command in the name of a user.
    ///
    /// - Returns: The command; nil if it doesn't wait any more.
    /// - Throws: A ``Refusal`` if the user may not decide: the requester, or a user without the role.
    @discardableResult
    public func decide(_ approval: PendingApproval.ID, approves: Bool, by user: User) throws -> PendingApproval? {
        try dispatcher.decide(approval, approves: approves, user)
    }
}
