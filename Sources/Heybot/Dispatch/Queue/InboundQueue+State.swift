import DequeModule

// What the queue holds.

extension InboundQueue {
    /// Messages that don't fit yet, and the caller that waits for space.
    struct BlockedSender {
        let number: Int
        var messages: ArraySlice<InFlightMessage>
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Messages that were dropped because the queue was full.
    struct DroppedMessages {
        let messages: [InFlightMessage]
        /// Whether these are the first since the queue was half empty last.
        let isNew: Bool
    }

    /// What happens to messages.
    enum Phase {
        case open
        /// The robot is stopping: only what adapters were receiving already, and what the robot's own code sends, is taken in.
        case draining
        /// Messages are neither taken in nor given out.
        case closed
    }

    /// What the lock of the queue protects.
    struct State {
        var messages = Deque<InFlightMessage>()
        /// Starts a pass, given its number.
        var consumer: (@Sendable (Int) -> Void)?
        /// The number of the pass that takes messages out, or is about to; nil if there is none.
        var pass: Int?
        var lastPass = 0
        /// The message that the pass has taken out last.
        var current: InFlightMessage?
        /// Whether the pass runs the closures of the current message; it goes on after them if they end soon.
        var isRunningClosures = false
        /// The number of messages whose closures a pass has run.
        var closureRuns = 0
        /// Called when messages wait behind closures.
        var onDelay: (@Sendable () -> Void)?
        /// The callers that wait for space, in order.
        var waiters = Deque<BlockedSender>()
        var lastWaiter = 0
        /// Whether messages were dropped since the queue was half empty last.
        var isOverflowing = false
        /// Called when a message from a user other than this one is put in.
        var otherSenderWaiter: (user: User.ID, call: @Sendable () -> Void)?
        var phase = Phase.open

        /// Begins a new pass if there are messages and no pass.
        ///
        /// - Returns: What to call, outside the lock, to start it.
        mutating func startPass() -> (@Sendable () -> Void)? {
            guard pass == nil, !messages.isEmpty, let consumer else { return nil }
            lastPass += 1
            pass = lastPass
            return { [number = lastPass] in consumer(number) }
        }

        /// Ends the pass, and begins a new one if there are messages.
        mutating func replacePass() -> (@Sendable () -> Void)? {
            (pass, current, isRunningClosures) = (nil, nil, false)
            return startPass()
        }

        /// Appends messages.
        ///
        /// For each that doesn't fit, the newest message of the sender with most messages is dropped, which may be the added one
        /// itself.
        mutating func appendDroppingExcess(_ added: ArraySlice<InFlightMessage>, _ capacity: Int) -> DroppedMessages {
            var counts: [User.ID: Int] = [:]
            for inbound in messages { counts[inbound.sender, default: 0] += 1 }
            var most = counts.max { $0.value < $1.value }
            var dropped: [InFlightMessage] = []
            for inbound in added {
                let user = inbound.sender
                let mine = counts[user, default: 0]
                if messages.count >= capacity {
                    guard let other = most, other.value > mine + 1,
                        let index = messages.lastIndex(where: { $0.sender == other.key })
                    else {
                        dropped.append(inbound)
                        continue
                    }
                    dropped.append(messages.remove(at: index))
                    counts[other.key] = other.value - 1
                }
                counts[user] = mine + 1
                messages.append(inbound)
                most = counts.max { $0.value < $1.value }
            }
            defer { isOverflowing = isOverflowing || !dropped.isEmpty }
            return DroppedMessages(messages: dropped, isNew: !isOverflowing)
        }

        /// What to call about these messages, if one is from a user other than the one that is waited on.
        mutating func takeOtherSenderWaiter(_ messages: some Sequence<InFlightMessage>) -> (@Sendable () -> Void)? {
            guard let user = otherSenderWaiter?.user, messages.contains(where: { $0.sender != user }) else {
                return nil
            }
            return otherSenderWaiter.take()?.call
        }
    }
}
