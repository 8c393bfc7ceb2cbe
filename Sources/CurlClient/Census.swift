import Synchronization

/// How much a client holds of what must be given back.
final class Census: Sendable {
    /// Requests that are on their way.
    let transfers = Atomic(0)
    /// What libcurl has of them.
    let handles = Atomic(0)

    /// Whether there is nothing.
    var isEmpty: Bool { transfers.load(ordering: .relaxed) == 0 && handles.load(ordering: .relaxed) == 0 }
}
