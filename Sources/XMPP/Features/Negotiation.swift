/// Agrees on a stream's features, one after the other, until stanzas can go both ways (RFC 6120 section 4.3).
struct Negotiation: Sendable {
    /// What is to be done.
    enum Step: Sendable {
        case send(Element)
        /// Encrypt the connection, and then open the stream anew.
        case startTLS
        /// Open the stream anew.
        case restart
        /// All is agreed on.
        case done
        case failed(Ending)
    }

    private(set) var state: StreamState
    private let mustBeSecure: Bool
    private var starttls = StartTLS()
    private(set) var authentication: Authentication
    private(set) var binding: ResourceBinding
    private var session = SessionEstablishment()

    private var offer: Element?
    private var current: WritableKeyPath<Negotiation, any StreamFeature>?
    /// Those that had nothing to do.
    private var skipped: Set<String> = []

    /// - Parameters:
    ///   - state: What the stream has come to before it began: whether it is encrypted.
    ///   - mustBeSecure: Whether nothing is told to the server before it is.
    init(
        _ state: StreamState, mustBeSecure: Bool, _ authentication: Authentication, _ binding: ResourceBinding
    ) {
        self.state = state
        self.mustBeSecure = mustBeSecure
        self.authentication = authentication
        self.binding = binding
    }
}
