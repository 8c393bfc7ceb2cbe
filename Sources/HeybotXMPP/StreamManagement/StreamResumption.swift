/// Asks the server to resume the session of an earlier stream (XEP-0198 section 5), in place of resource binding.
struct StreamResumption: StreamFeatureNegotiator {
    /// The server's answer.
    enum Answer: Hashable, Sendable {
        /// The session goes on; the server has handled this number of the session's stanzas.
        case resumed(UInt32)
        /// The server doesn't know the session any more; it may tell how many of the session's stanzas it has handled.
        case refused(UInt32?)
    }

    let name = "sm"
    let namespace = Namespace.streamManagement
    let requires: StreamState = .authenticated
    let excludes: StreamState = .bound
    let provides: StreamState = [.bound, .sessionEstablished]

    private let id: String
    private let handled: UInt32
    /// The server's answer, once it has come.
    private(set) var answer: Answer?

    /// - Parameters:
    ///   - id: The id of the session, which the server gave it.
    ///   - handled: The number of the server's stanzas that the session has handled.
    init(_ id: String, handled: UInt32) {
        (self.id, self.handled) = (id, handled)
    }

    /// What ends the stream if the server resumes another session.
    static let foreignSession = DisconnectReason.lost("the server resumed another session than the robot's")

    /// The element that asks the server to resume the session.
    var request: Element { Element("resume", Namespace.streamManagement, ["previd": id, "h": "\(handled)"]) }

    mutating func begin(_ offer: FeatureOffer) -> FeatureNegotiatorAction { .send(request) }

    mutating func receive(_ element: Element) -> FeatureNegotiatorAction {
        let count = element["h"].flatMap { UInt32($0) }
        if element.is("resumed", Namespace.streamManagement) {
            guard element["previd"] == id, let count else {
                return .failed(Self.foreignSession)
            }
            answer = .resumed(count)
            return .completed(.nextFeature)
        }
        guard element.is("failed", Namespace.streamManagement) else { return .skip }
        answer = .refused(count)
        return .declined
    }
}
