/// Iterates over the listeners that match a message, in registration order.
///
/// Each is tried only when it is asked for.
///
/// If no `respond` listener handles an addressed text, they are tried again without the punctuation at its end and without
/// polite words at its beginning, so that `help!` and `could you help?` are `help`. If no listener handles a text message, the
/// catch-alls follow.
struct ListenerMatchIterator: Sendable {
    /// A listener that matched, and its closure.
    struct Match: Sendable {
        let registered: IndexedListener
        let handler: Listener.Handler

        var listener: Listener { registered.listener }
    }

    private let router: ListenerIndex
    private var untried: ArraySlice<IndexedListener>
    /// The message in the form for the ``untried`` listeners.
    private var input: RoutingInput
    /// The other readings of the message, each with the `respond` listeners that may match it, for further tries.
    private var retries: [(listeners: [IndexedListener], input: RoutingInput)]
    /// The catch-alls, which are tried if no listener handles the message.
    private var catchAlls: [IndexedListener]
    private var original: RoutingInput
    private var last: IndexedListener?
    /// Whether a match has handled the message.
    private(set) var isHandled = false
    /// Whether the message is a correction that only the listeners with `onEdit: true` get.
    private(set) var isForEdits = false

    init(
        _ router: ListenerIndex, _ listeners: [IndexedListener], _ input: RoutingInput,
        retries: [(listeners: [IndexedListener], input: RoutingInput)], catchAlls: [IndexedListener]
    ) {
        self.router = router
        untried = listeners[...]
        self.input = input
        original = input
        self.retries = retries
        self.catchAlls = catchAlls
    }

    /// Whether the message is addressed to the robot.
    var isAddressed: Bool { original.addressed != nil }

    /// Whether no listeners are left.
    var isEmpty: Bool { untried.isEmpty && retries.isEmpty && catchAlls.isEmpty }

    /// The number of listeners to try before the catch-alls.
    var count: Int { untried.count }

    /// The next match; nil if there is none left.
    ///
    /// The catch-alls are tried too, unless ``markHandled()`` was called for a match.
    ///
    /// - Parameter match: Matches a listener against the message; returns nil to skip it.
    mutating func next(_ match: (IndexedListener, RoutingInput) -> Listener.Handler?) -> Match? {
        while true {
            while let registered = untried.popFirst() {
                guard let handler = match(registered, input) else { continue }
                last = registered
                return Match(registered: registered, handler: handler)
            }
            if !retries.isEmpty {
                let again = retries.removeFirst()
                (untried, input) = (again.listeners[...], again.input)
            } else if !catchAlls.isEmpty {
                (untried, input) = (catchAlls[...], original)
                // The other catch-alls follow the first.
                catchAlls = []
            } else {
                return nil
            }
        }
    }

    /// Records that the last match has handled the message, and hasn't passed it on: the catch-alls aren't tried.
    ///
    /// Only a `respond` listener prevents the further tries. A `hear` listener, such as a logger, doesn't.
    mutating func markHandled() {
        if last?.listener.trigger == .respond { retries = [] }
        catchAlls = []
        isHandled = true
    }

    /// Leaves out the catch-alls, and the listeners without `onEdit: true`.
    mutating func leaveOutListenersWithoutEdits() {
        isForEdits = true
        untried = untried.filter { $0.listener.hearsEdits }[...]
        retries = retries.map { retry in
            (listeners: retry.listeners.filter { $0.listener.hearsEdits }, input: retry.input)
        }
        catchAlls = []
    }

    /// Continues with the listeners after the last match, for a text that has changed.
    ///
    /// - Parameter changed: The message with the new text.
    mutating func continueAfterLastMatch(with changed: RoutingInput) {
        let other = router.matches(changed)
        let order = last?.order ?? -1
        (input, original) = (other.input, other.original)
        // The catch-alls, if it is their turn, stay the same.
        if last?.listener.trigger != .catchAll { untried = other.untried.filter { $0.order > order }[...] }
        if !retries.isEmpty { retries = other.retries }
        if !catchAlls.isEmpty { catchAlls = other.catchAlls }
        if isForEdits { leaveOutListenersWithoutEdits() }
    }
}
