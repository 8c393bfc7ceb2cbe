import NIOCore
import NIOHTTP1
import Synchronization

/// The connections of a server, of which there are only so many.
///
/// When one more comes, one ends: of the client that has the most, the one that has been idle for longest, having sent no
/// request, or not all of its header; if none is idle, the one whose body has been coming for longest. For a client with
/// `own` connections, the new one among them, an idle one of another client with at least as many ends, one that sends a
/// body if that client has more, and one that is answered if it has more than twice as many. Of its own, an idle one or one
/// that sends a body may end. If none may, the new one does.
final class Connections: Sendable {
    enum Activity: Int {
        case idle, reading, answering
    }

    private struct Entry {
        let channel: any Channel
        let network: [UInt8]
        var activity = Activity.idle
        var since = ContinuousClock.now
    }

    private let limit: Int
    private let entries: Mutex<[ObjectIdentifier: Entry]> = Mutex([:])

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.withLock { $0.count } }

    /// Counts a connection until it is closed.
    func add(_ channel: any Channel) {
        let surplus = entries.withLock { entries -> (any Channel)? in
            let id = ObjectIdentifier(channel)
            let network = Self.network(of: channel.remoteAddress)
            let surplus = entries.count >= limit ? Self.weakest(of: entries, for: network) ?? id : nil
            entries[id] = Entry(channel: channel, network: network)
            return surplus.flatMap { entries.removeValue(forKey: $0)?.channel }
        }
        channel.closeFuture.whenComplete { [self] _ in
            entries.withLock { $0[ObjectIdentifier(channel)] = nil }
        }
        surplus?.close(promise: nil)
    }

    /// The one to end for a new one of a client; nil if that would take an answer from somebody who hasn't far more.
    private static func weakest(of entries: [ObjectIdentifier: Entry], for network: [UInt8]) -> ObjectIdentifier? {
        let counts = entries.values.reduce(into: [:]) { $0[$1.network, default: 0] += 1 }
        let own = counts[network, default: 0] + 1
        func rank(_ entry: Entry) -> (Int, Int, ContinuousClock.Instant) {
            (-counts[entry.network, default: 0], entry.activity.rawValue, entry.since)
        }
        func mayEnd(_ entry: Entry) -> Bool {
            let count = counts[entry.network, default: 0]
            switch entry.activity {
            // Else those who came first could keep everybody else out.
            case .idle: return entry.network == network || count >= own
            case .reading: return entry.network == network || count > own
            // With twice as many as the new one's client a client has answers to lose, too.
            case .answering: return count > own * 2
            }
        }
        return entries.filter { mayEnd($0.value) }.min { rank($0.value) < rank($1.value) }?.key
    }

    /// What tells clients apart: an address of IPv4, or the first 64 bits of one of IPv6, as one client has all of those.
    static func network(of address: SocketAddress?) -> [UInt8] {
        guard let address else { return [] }
        // As sockaddr_in and sockaddr_in6 have them.
        let bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
        switch address {
        case .v4: return Array(bytes.dropFirst(4).prefix(4))
        case .v6:
            let whole = bytes.dropFirst(8).prefix(16)
            // An address of IPv4, as a socket of IPv6 has it (RFC 4291 section 2.5.5.2).
            let isMapped = whole.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            return Array(isMapped ? whole.suffix(4) : whole.prefix(8))
        case .unixDomainSocket: return []
        }
    }

    /// What a connection does from now on.
    func note(_ activity: Activity, of channel: any Channel) {
        entries.withLock {
            $0[ObjectIdentifier(channel)]?.activity = activity
            $0[ObjectIdentifier(channel)]?.since = .now
        }
    }
}

/// Counts a connection, has the heads of its requests checked, and ends it if its client takes nothing of an answer for too
/// long.
final class ConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let connections: Connections
    private let patience: TimeAmount
    private var watch: Scheduled<Void>?

    /// - Parameter patience: How long a client may take nothing of what waits for it.
    init(_ connections: Connections, patience: TimeAmount) {
        self.connections = connections
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel)
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HeadHandler(), position: .after(decoder))
        } catch {
            context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        watch?.cancel()
        watch = nil
        if !context.channel.isWritable {
            let channel = context.channel
            watch = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch?.cancel()
        watch = nil
        context.fireChannelInactive()
    }
}
