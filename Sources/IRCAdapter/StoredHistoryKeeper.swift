import Heybot
import HeybotIRC
import Logging

/// Stores up to when the robot has handled what was said, for its next process.
///
/// A process that is killed can't store that at its end. So it is stored every few seconds too, each time as it was a few seconds
/// before, because what was received since may not be handled yet.
struct StoredHistoryKeeper: Sendable {
    /// The time between two marks that are stored.
    static let interval: Duration = .seconds(5)

    private let brain: Brain?
    private let key: BrainKey<StoredHistoryMark>
    private let logger: Logger

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - brain: Stores the mark; if it is nil, none is stored.
    init(of adapter: String, in brain: Brain?, logger: Logger) {
        (self.brain, self.logger) = (brain, logger)
        key = BrainKey("\(adapter).history")
    }

    /// Returns the mark that an earlier process has stored; nil if there is none.
    func recall() async -> StoredHistoryMark? {
        guard let brain else { return nil }
        do {
            guard let stored = try await brain.recall(key) else { return nil }
            if !stored.mayBeAnswered {
                // This process may be killed before it stores a mark.
                var mark = stored
                mark.mayBeAnswered = true
                _ = await store(mark, isWarning: true)
            }
            return stored
        } catch {
            logger.warning("can't load up to when I have handled what was said: \(error)")
            return nil
        }
    }

    /// Stores the mark every few seconds, until the task is canceled.
    ///
    /// - Parameter mark: Returns the current mark.
    func keepStoring(_ timeSource: TimeSource, _ mark: @Sendable () -> StoredHistoryMark?) async {
        guard brain != nil else { return }
        var previous: StoredHistoryMark?
        var stored: StoredHistoryMark?
        var isFailing = false
        while true {
            do { try await timeSource.sleep(Self.interval) } catch { return }
            if let previous, previous != stored {
                isFailing = await !store(previous, isWarning: !isFailing)
                if !isFailing { stored = previous }
            }
            previous = mark()
            previous?.mayBeAnswered = true
        }
    }

    /// Stores the mark at the end of this process; nil if the server keeps no messages.
    func storeLast(_ mark: StoredHistoryMark?) async {
        if let mark {
            _ = await store(mark, isWarning: true)
        } else {
            _ = try? await brain?.forget(key)
        }
    }

    /// - Returns: Whether it was stored.
    private func store(_ mark: StoredHistoryMark, isWarning: Bool) async -> Bool {
        do {
            try await brain?.remember(key, mark)
            return true
        } catch {
            // At the stop of the robot, the last mark is stored anyway.
            if isWarning, !Task.isCancelled {
                logger.warning("can't save up to when I have handled what was said: \(error)")
            }
            return false
        }
    }
}
