/// The listeners that a message matches, found one by one as they are asked for, in registration order.
///
/// If no command takes what is said to the robot, the commands are tried again without the punctuation at its end, so that
/// `help!` is `help`. If no listener takes the message, and the message is words, the catch-alls follow.
struct Matches: Sendable {
    /// A listener that matched, and what it wants to run.
    struct Match: Sendable {
        let registered: RegisteredListener
        let work: Listener.Work

        var listener: Listener { registered.listener }
    }

    private var untried: ArraySlice<RegisteredListener>
    /// The message as ``untried`` are to see it.
    private var candidate: Candidate
    /// The commands, and the message without its closing punctuation, that are tried if no command takes the message.
    private var unpunctuated: (listeners: [RegisteredListener], candidate: Candidate)?
    /// What is tried if no listener takes the message.
    private var catchAlls: [RegisteredListener]
    private let original: Candidate
    private var lastTrigger: Listener.Trigger?

    init(
        _ listeners: [RegisteredListener], _ candidate: Candidate,
        unpunctuated: (listeners: [RegisteredListener], candidate: Candidate)?, catchAlls: [RegisteredListener]
    ) {
        untried = listeners[...]
        self.candidate = candidate
        original = candidate
        self.unpunctuated = unpunctuated
        self.catchAlls = catchAlls
    }

    /// Whether the message is said to the robot.
    var isAddressed: Bool { original.addressed != nil }

    /// Whether there is nothing to try.
    var isEmpty: Bool { untried.isEmpty && unpunctuated == nil && catchAlls.isEmpty }

    /// How many there are to try before the catch-alls.
    var count: Int { untried.count }

    /// The next that matches; nil if there is none left.
    ///
    /// Unless ``take()`` was called for one that matched, the catch-alls follow.
    ///
    /// - Parameter attempt: Tries a listener with the message, or leaves it out.
    mutating func next(_ attempt: (RegisteredListener, Candidate) -> Listener.Work?) -> Match? {
        while true {
            while let registered = untried.popFirst() {
                guard let work = attempt(registered, candidate) else { continue }
                lastTrigger = registered.listener.trigger
                return Match(registered: registered, work: work)
            }
            if let again = unpunctuated.take() {
                (untried, candidate) = (again.listeners[...], again.candidate)
            } else if !catchAlls.isEmpty {
                (untried, candidate) = (catchAlls[...], original)
                // What follows a catch-all are the others of them.
                catchAlls = []
            } else {
                return nil
            }
        }
    }

    /// The listener that matched last has taken the message, rather than passed it on: the catch-alls won't get it.
    ///
    /// What only overhears it, such as a log of what is said, leaves the commands their second try.
    mutating func take() {
        if lastTrigger == .respond { unpunctuated = nil }
        catchAlls = []
    }
}
