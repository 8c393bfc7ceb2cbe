extension RobotBuilder {
    /// Registers a listener for all messages in all rooms, whose pattern is given as text, such as one from a file.
    ///
    /// A text that isn't a pattern with this output is an error at startup. Swift parses most patterns only when a message
    /// first needs them, so thousands of listeners hardly delay the start.
    ///
    /// - Parameters:
    ///   - pattern: The text of a regex in Swift's syntax. To match a text from outside literally, escape it.
    ///   - output: The type of the match: `Substring.self`, or with captures a tuple such as `(Substring, Substring).self`.
    ///   - id: The listener's id; by default the script's name and a number.
    ///   - help: A line `usage - purpose` for each command.
    ///   - example: A message that the listener answers. Tests send it.
    ///   - allow: Who may use the listener, and where.
    ///   - confirm: What the robot asks before the closure runs.
    ///   - approve: The approval by a second user that is needed before the closure runs.
    ///   - cooldown: The minimum time between two uses.
    ///   - deadline: The closure's deadline; by default the robot's.
    ///   - onEdit: Whether the listener also gets each corrected message that matches.
    ///   - caseSensitive: Whether the pattern is case-sensitive.
    ///   - unchecked: Accepts a pattern that looks prone to catastrophic backtracking.
    ///   - file: The file of the registration, for error messages.
    ///   - line: The line of the registration.
    ///   - handler: The closure that handles a match. It may run for several messages at once.
    public mutating func hear<Output: Sendable>(
        pattern: String, as output: Output.Type, id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, confirm: String? = nil, approve: Approval? = nil, cooldown: Cooldown? = nil,
        deadline: Duration? = nil, onEdit: Bool = false, caseSensitive: Bool = false, unchecked: Bool = false,
        file: String = #fileID, line: Int = #line,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        guard let pattern = parse(pattern, as: output, caseSensitive, unchecked, file, line) else { return }
        add(
            .hear, pattern: pattern.text, requirements: pattern.requirements, id: id, help: help, example: example,
            allow: allow, confirm: confirm, approve: approve, cooldown: cooldown, deadline: deadline, onEdit: onEdit,
            match: { try $0.message.text.flatMap(pattern.search) }, handler)
    }

    /// Registers a listener for messages addressed to the robot, whose pattern is given as text.
    ///
    /// The pattern must match at the beginning of the text after the name.
    ///
    /// - Parameters:
    ///   - pattern: The text of a regex in Swift's syntax.
    ///   - output: The type of the match, as for
    ///     ``hear(pattern:as:id:help:example:allow:confirm:approve:cooldown:deadline:onEdit:caseSensitive:unchecked:file:line:_:)``.
    ///   - id: The listener's id; by default the script's name and a number.
    ///   - help: A line `usage - purpose` for each command.
    ///   - example: A message that the listener answers. Tests send it.
    ///   - allow: Who may use the listener, and where.
    ///   - confirm: What the robot asks before the closure runs.
    ///   - approve: The approval by a second user that is needed before the closure runs.
    ///   - cooldown: The minimum time between two uses.
    ///   - deadline: The closure's deadline; by default the robot's.
    ///   - onEdit: Whether the listener also gets each corrected message that matches.
    ///   - caseSensitive: Whether the pattern is case-sensitive.
    ///   - unchecked: Accepts a pattern that looks prone to catastrophic backtracking.
    ///   - file: The file of the registration, for error messages.
    ///   - line: The line of the registration.
    ///   - handler: The closure that handles a match. It may run for several messages at once.
    public mutating func respond<Output: Sendable>(
        pattern: String, as output: Output.Type, id: String? = nil, help: String? = nil, example: String? = nil,
        allow: Access = .everyone, confirm: String? = nil, approve: Approval? = nil, cooldown: Cooldown? = nil,
        deadline: Duration? = nil, onEdit: Bool = false, caseSensitive: Bool = false, unchecked: Bool = false,
        file: String = #fileID, line: Int = #line,
        _ handler: @escaping @Sendable (Response<Output>) async throws -> Void
    ) {
        guard let pattern = parse(pattern, as: output, caseSensitive, unchecked, file, line) else { return }
        add(
            .respond, pattern: pattern.text, requirements: pattern.requirements, id: id, help: help, example: example,
            allow: allow, confirm: confirm, approve: approve, cooldown: cooldown, deadline: deadline, onEdit: onEdit,
            match: { try $0.addressed.flatMap(pattern.prefix) }, handler)
    }

    /// The pattern of a text; nil, with a problem reported, if it isn't a pattern with this output.
    private mutating func parse<Output>(
        _ text: String, as output: Output.Type, _ caseSensitive: Bool, _ unchecked: Bool, _ file: String, _ line: Int
    ) -> ListenerPattern<Output>? {
        do {
            let pattern = try ListenerPattern<Output>(text: text, caseSensitive: caseSensitive, in: regexes)
            if !unchecked { check(pattern, file, line) }
            return pattern
        } catch {
            let reason = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200)
            problems.append(
                """
                the script \(script) has an invalid pattern (\(file):\(line)): \(reason); correct the pattern, or the type of \
                its output
                """)
            return nil
        }
    }
}
