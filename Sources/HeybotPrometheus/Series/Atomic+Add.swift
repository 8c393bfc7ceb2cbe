import Synchronization

extension Atomic where Value == Double {
    /// Adds without losing what others add meanwhile.
    func add(_ amount: Double) {
        var value = load(ordering: .relaxed)
        while true {
            let (done, now) = weakCompareExchange(expected: value, desired: value + amount, ordering: .relaxed)
            if done { return }
            value = now
        }
    }
}
