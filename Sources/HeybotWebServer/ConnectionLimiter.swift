import NIOCore
import Synchronization

/// Limits the number of a server's connections.
///
/// If a new connection exceeds the limit, one is closed, by preference of the client with the most connections: the one
/// that has been idle longest (it has sent no complete header), or else the one that has been sending a body longest.
/// Which ones may be closed depends on the number of connections, `own`, that the new one's client has, including the
/// new one:
///
/// - an idle one, if its client is the same or has at least `own` connections;
/// - one that is sending a body, if its client is the same or has more than `own`;
/// - one that is being answered, if its client has more than twice as many as `own`.
///
/// If there is none, the new connection is closed.
final class ConnectionLimiter: Sendable {
    enum Activity: Int {
        case idle, reading, answering
    }

    private struct Entry {
        let channel: any Channel
        let network: [UInt8]
        var activity = Activity.idle
        var since = ContinuousClock.now
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var isQuiescing = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a connection, until it is closed.
    func add(_ channel: any Channel) {
        let surplus = state.withLock { state -> (any Channel)? in
            guard !state.isQuiescing else { return channel }
            let id = ObjectIdentifier(channel)
            let network = Self.network(of: channel.remoteAddress)
            let surplus = state.entries.count >= limit ? Self.weakest(of: state.entries, for: network) ?? id : nil
            state.entries[id] = Entry(channel: channel, network: network)
            return surplus.flatMap { state.entries.removeValue(forKey: $0)?.channel }
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { $0.entries[ObjectIdentifier(channel)] = nil }
        }
        surplus?.close(promise: nil)
    }

    /// Lets every connection answer its pending requests, and returns once all are closed.
    func quiesce() async {
        let channels = state.withLock { state in
            state.isQuiescing = true
            return state.entries.values.map(\.channel)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    /// The connection to close for a new one; nil if none may be closed.
    private static func weakest(of entries: [ObjectIdentifier: Entry], for network: [UInt8]) -> ObjectIdentifier? {
        let counts = entries.values.reduce(into: [:]) { $0[$1.network, default: 0] += 1 }
        let own = counts[network, default: 0] + 1
        func rank(_ entry: Entry) -> (Int, Int, ContinuousClock.Instant) {
            (-counts[entry.network, default: 0], entry.activity.rawValue, entry.since)
        }
        func mayEnd(_ entry: Entry) -> Bool {
            let count = counts[entry.network, default: 0]
            switch entry.activity {
            // Otherwise the first clients could lock out all others.
            case .idle: return entry.network == network || count >= own
            case .reading: return entry.network == network || count > own
            // A client with more than twice as many may lose a response.
            case .answering: return count > own * 2
            }
        }
        return entries.filter { mayEnd($0.value) }.min { rank($0.value) < rank($1.value) }?.key
    }

    /// The key of a client: its IPv4 address, or the first 64 bits of its IPv6 address, since a client usually has a /64.
    static func network(of address: SocketAddress?) -> [UInt8] {
        guard let address else { return [] }
        // The layouts of sockaddr_in and sockaddr_in6.
        let bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
        switch address {
        case .v4: return Array(bytes.dropFirst(4).prefix(4))
        case .v6:
            let whole = bytes.dropFirst(8).prefix(16)
            // An IPv4-mapped address (RFC 4291 section 2.5.5.2).
            let isMapped = whole.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            return Array(isMapped ? whole.suffix(4) : whole.prefix(8))
        case .unixDomainSocket: return []
        }
    }

    /// Sets what a connection is doing now.
    func setActivity(_ activity: Activity, of channel: any Channel) {
        state.withLock {
            $0.entries[ObjectIdentifier(channel)]?.activity = activity
            $0.entries[ObjectIdentifier(channel)]?.since = .now
        }
    }
}
