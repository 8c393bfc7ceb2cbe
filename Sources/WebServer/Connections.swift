import NIOCore
import Synchronization

/// The connections of a server, of which there are only so many.
///
/// With one more, the one that has been idle for longest ends: it has sent no request, or not all of its header. If none is,
/// the one whose body has been coming for longest ends; if all are being answered, the new one does.
final class Connections: Sendable {
    enum Activity: Int {
        case idle, reading, answering
    }

    private struct Entry {
        let channel: any Channel
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
            var surplus: ObjectIdentifier?
            if entries.count >= limit {
                let old = entries.min {
                    ($0.value.activity.rawValue, $0.value.since) < ($1.value.activity.rawValue, $1.value.since)
                }
                surplus = old.flatMap { $0.value.activity == .answering ? nil : $0.key } ?? id
            }
            entries[id] = Entry(channel: channel)
            return surplus.flatMap { entries.removeValue(forKey: $0)?.channel }
        }
        channel.closeFuture.whenComplete { [self] _ in
            entries.withLock { $0[ObjectIdentifier(channel)] = nil }
        }
        surplus?.close(promise: nil)
    }

    /// What a connection does from now on.
    func note(_ activity: Activity, of channel: any Channel) {
        entries.withLock {
            $0[ObjectIdentifier(channel)]?.activity = activity
            $0[ObjectIdentifier(channel)]?.since = .now
        }
    }
}

/// Counts a connection, and ends it if its client takes nothing of an answer for too long.
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
