public import HeybotTesting

// What fuzz tests take by chance that is the same each time.

extension SeededGenerator {
    /// A number from 0 up to that, quickly; not quite evenly.
    public mutating func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: (next() >> 33) % UInt64(max(count, 1)))
    }

    /// One of them.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
