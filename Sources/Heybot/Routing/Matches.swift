/// The listeners that a message matches, found one by one as they are asked for, in registration order.
///
/// If none of them takes the message, and the message is words, the catch-alls follow.
struct Matches: Sendable {
    /// A listener that matched, and what it wants to run.
    struct Match: Sendable {
        let registered: RegisteredListener
        let work: Listener.Work

        var listener: Listener { registered.listener }
    }

    private var untried: ArraySlice<RegisteredListener>
    /// What is tried if no listener takes the message.
    private var catchAlls: [RegisteredListener]

    init(_ listeners: [RegisteredListener], catchAlls: [RegisteredListener]) {
        untried = listeners[...]
        self.catchAlls = catchAlls
    }

    /// Whether there is nothing to try.
    var isEmpty: Bool { untried.isEmpty && catchAlls.isEmpty }

    /// How many there are to try before the catch-alls.
    var count: Int { untried.count }

    /// The next that matches; nil where there is none left.
    ///
    /// Unless ``take()`` was called for one that matched, the catch-alls follow.
    ///
    /// - Parameter attempt: Tries a listener, or leaves it out.
    mutating func next(_ attempt: (RegisteredListener) -> Listener.Work?) -> Match? {
        while true {
            while let registered = untried.popFirst() {
                if let work = attempt(registered) { return Match(registered: registered, work: work) }
            }
            if catchAlls.isEmpty { return nil }
            untried = catchAlls[...]
            // What follows a catch-all are the others of them.
            catchAlls = []
        }
    }

    /// The listener that matched last has taken the message, rather than passed it on: the catch-alls won't get it.
    mutating func take() { catchAlls = [] }
}
