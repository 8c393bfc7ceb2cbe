/// The listeners that a message matches, found one by one as they are asked for, in registration order.
///
/// Where none does, and the message is words, they are the catch-alls instead.
struct Matches: Sendable {
    /// A listener that matched, and what it wants to run.
    struct Match: Sendable {
        let registered: RegisteredListener
        let work: Listener.Work

        var listener: Listener { registered.listener }
    }

    private var untried: ArraySlice<RegisteredListener>
    /// What is tried where nothing has matched.
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
    /// - Parameter attempt: Tries a listener, or leaves it out.
    mutating func next(_ attempt: (RegisteredListener) -> Listener.Work?) -> Match? {
        while true {
            while let registered = untried.popFirst() {
                guard let work = attempt(registered) else { continue }
                catchAlls = []
                return Match(registered: registered, work: work)
            }
            if catchAlls.isEmpty { return nil }
            untried = catchAlls[...]
            // What follows a catch-all are the others of them.
            catchAlls = []
        }
    }
}
