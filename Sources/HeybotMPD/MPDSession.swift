import DequeModule

/// A connection to a player, as a value: inputs go in, actions come out.
///
/// One request is in progress at a time. Whenever there is none, the player is asked to report changes (`idle`), which a further
/// request interrupts (`noidle`). A wrong password is no error by itself, because a player may allow everything without one; it
/// is the reason given when the player then forbids a command.
package struct MPDSession: Sendable {
    /// The caller's number of a request.
    package typealias ID = Int

    /// What happens to the session.
    package enum Input: Sendable {
        /// The player sent bytes.
        case received(ArraySlice<UInt8>)
        /// A caller has commands, which are sent as one list.
        case request(ID, [MPDCommand])
        /// A caller has given up; the request isn't sent if it wasn't yet.
        case cancel(ID)
    }

    /// What the session wants done, in this order.
    package enum Action: Hashable, Sendable {
        /// Send bytes to the player.
        case send([UInt8])
        /// The player accepts requests.
        case ready(version: String)
        /// A request has ended: an answer for each of its commands, or the reason why there are none.
        case answer(ID, Result<[MPDResponse], PlayerError.Reason>)
        /// Parts of the player have changed, such as `player`, `playlist` or `mixer`.
        case changed([String])
        /// The connection can't be used any longer, and must be closed.
        case fail(PlayerError.Reason)
    }

    /// What the player's next lines belong to.
    private enum Exchange {
        case greeting
        case password
        case request(ID, count: Int)
        case idle
        case nothing
    }

    /// The greatest size of an answer in bytes.
    package static let longestAnswer = 1 << 20
    /// The greatest number of changes that are reported at once; a player has about a dozen kinds.
    private static let mostChanges = 32

    private let password: String?
    private var reader = MPDLineReader()
    private var exchange = Exchange.greeting
    private var version = ""
    private var isPasswordRefused = false
    private var mayIdle = true
    private var isLeavingIdle = false
    private var hasFailed = false
    private var waiting: Deque<(id: ID, commands: [MPDCommand])> = []
    /// The answers of the commands that have ended, the one in progress, and the size of both.
    private var answers: [MPDResponse] = []
    private var answer = MPDResponse()
    private var answerSize = 0

    /// Creates the session of a new connection.
    package init(password: String?) {
        self.password = password
    }

    /// The requests that weren't answered: the one that was sent, and those that weren't.
    package var unanswered: (sent: ID?, unsent: [(id: ID, commands: [MPDCommand])]) {
        if case .request(let id, _) = exchange { (id, Array(waiting)) } else { (nil, Array(waiting)) }
    }

    /// Handles an input, and returns what is to be done.
    package mutating func handle(_ input: Input) -> [Action] {
        guard !hasFailed else { return [] }
        var actions: [Action] = []
        switch input {
        case .request(let id, let commands):
            waiting.append((id, commands))
            proceed(&actions)
        case .cancel(let id): waiting.removeAll { $0.id == id }
        case .received(let bytes):
            do throws(MPDLineReader.TooLong) {
                reader.feed(bytes)
                while !hasFailed, let line = try reader.next() { receive(line, &actions) }
            } catch {
                fail(.notAPlayer("it sent a line of more than \(MPDLineReader.longest) bytes"), &actions)
            }
        }
        return actions
    }

    // MARK: Sending

    /// Sends what comes next, if the player has answered everything.
    private mutating func proceed(_ actions: inout [Action]) {
        switch exchange {
        case .idle where !waiting.isEmpty && !isLeavingIdle:
            isLeavingIdle = true
            actions.append(.send(Array("noidle\n".utf8)))
        case .nothing:
            if let request = waiting.popFirst() {
                exchange = .request(request.id, count: request.commands.count)
                actions.append(.send(Self.bytes(of: request.commands)))
            } else if mayIdle {
                exchange = .idle
                actions.append(.send(Array("idle\n".utf8)))
            }
        case .greeting, .password, .request, .idle: break
        }
    }

    private static func bytes(of commands: [MPDCommand]) -> [UInt8] {
        if commands.count == 1 { return commands[0].line }
        return Array("command_list_ok_begin\n".utf8) + commands.flatMap(\.line) + Array("command_list_end\n".utf8)
    }

    // MARK: Receiving

    private mutating func receive(_ line: ArraySlice<UInt8>, _ actions: inout [Action]) {
        if case .greeting = exchange { return receiveGreeting(line, &actions) }
        if case .nothing = exchange {
            return fail(.notAPlayer("it sent a line without being asked"), &actions)
        }
        // Each line counts for more than its bytes, because it also takes space if it is empty.
        answerSize += line.count + 16
        guard answerSize <= Self.longestAnswer else {
            return fail(.notAPlayer("it sent an answer of more than \(Self.longestAnswer) bytes"), &actions)
        }
        if line.elementsEqual("OK".utf8) {
            endAnswer()
            end(nil, &actions)
        } else if line.elementsEqual("list_OK".utf8) {
            endAnswer()
        } else if let error = MPDServerError(line) {
            end(error, &actions)
        } else if let field = MPDResponse.Field(line) {
            answer.append(field)
        } else {
            fail(.notAPlayer("it sent a line that violates MPD's protocol"), &actions)
        }
    }

    private mutating func receiveGreeting(_ line: ArraySlice<UInt8>, _ actions: inout [Action]) {
        let greeting = "OK MPD "
        guard line.starts(with: greeting.utf8), line.count < 64 else {
            return fail(.notAPlayer("its greeting isn't MPD's"), &actions)
        }
        version = String(decoding: line.dropFirst(greeting.utf8.count), as: UTF8.self)
        guard let password else { return begin(&actions) }
        do throws(MPDCommandEncodingError) {
            let command = try MPDCommand("password", password)
            exchange = .password
            actions.append(.send(command.line))
        } catch {
            // No player can have such a password.
            isPasswordRefused = true
            begin(&actions)
        }
    }

    private mutating func begin(_ actions: inout [Action]) {
        exchange = .nothing
        actions.append(.ready(version: version))
        proceed(&actions)
    }

    private mutating func endAnswer() {
        answers.append(answer)
        answer = MPDResponse()
    }

    /// Ends what is in progress, and goes on with the next.
    private mutating func end(_ error: MPDServerError?, _ actions: inout [Action]) {
        let ended = exchange
        let answers = answers
        self.answers = []
        answer = MPDResponse()
        answerSize = 0
        exchange = .nothing
        switch ended {
        case .request(let id, let count):
            if let error {
                actions.append(.answer(id, .failure(reason(error))))
            } else {
                // After a list, the last OK belongs to no command.
                let own = count == 1 ? answers[...] : answers.dropLast()
                guard own.count == count else {
                    actions.append(.answer(id, .failure(.lost(mayBeDone: true))))
                    return fail(.notAPlayer("it sent \(own.count) answers to \(count) commands"), &actions)
                }
                actions.append(.answer(id, .success(Array(own))))
            }
        case .password:
            isPasswordRefused = error != nil
            return begin(&actions)
        case .idle:
            isLeavingIdle = false
            // A player that forbids this may still carry out commands.
            if error != nil { mayIdle = false }
            let changes = answers.first?.fields.prefix(Self.mostChanges).filter { $0.name == "changed" }.map(\.value)
            if let changes, !changes.isEmpty { actions.append(.changed(changes)) }
        case .greeting, .nothing: break
        }
        proceed(&actions)
    }

    /// The reason for a caller.
    private func reason(_ error: MPDServerError) -> PlayerError.Reason {
        guard error.code == .permission else { return .rejected(error) }
        return password == nil ? .needsPassword : isPasswordRefused ? .wrongPassword : .rejected(error)
    }

    private mutating func fail(_ reason: PlayerError.Reason, _ actions: inout [Action]) {
        hasFailed = true
        actions.append(.fail(reason))
    }
}
