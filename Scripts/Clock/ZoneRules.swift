/// When a time zone is how far from UTC: what a file of the time zone database says (TZif, RFC 9636).
struct ZoneRules: Sendable {
    /// What holds for some time.
    struct Offset: Hashable, Sendable {
        /// Local time less UTC, in seconds.
        let seconds: Int
        /// As in `CET`, or `+03` if there are no letters for it.
        let abbreviation: String
    }

    /// From when on which of the offsets holds, in seconds since 1970, earliest first.
    private let transitions: [(time: Int, index: Int)]
    private let offsets: [Offset]
    /// What holds after the last transition.
    private let rule: ZoneRule?

    /// A zone whose rule never changes.
    init(_ rule: ZoneRule) {
        transitions = []
        offsets = []
        self.rule = rule
    }

    /// Reads a file; nil if it isn't one, or is of version 1, which knows no year after 2037.
    init?(tzif bytes: [UInt8]) {
        var old = Reader(bytes[...])
        guard let counts = old.header(), old.skip(counts.size(ofTime: 4)) else { return nil }
        var reader = Reader(old.rest)
        guard let counts = reader.header(), counts.types > 0, counts.times <= 10_000 else { return nil }
        var times: [Int] = []
        for _ in 0..<counts.times {
            guard let time = reader.integer(8) else { return nil }
            times.append(time)
        }
        guard let indexes = reader.take(counts.times) else { return nil }
        var types: [(seconds: Int, name: Int)] = []
        for _ in 0..<counts.types {
            guard let seconds = reader.integer(4), reader.take(1) != nil, let name = reader.integer(1) else {
                return nil
            }
            types.append((seconds, name))
        }
        guard let names = reader.take(counts.characters), indexes.allSatisfy({ Int($0) < types.count }),
            times == times.sorted(), reader.skip(counts.leaps * 12 + counts.standards + counts.universals)
        else { return nil }
        transitions = zip(times, indexes).map { ($0, Int($1)) }
        offsets = types.map { type in
            Offset(
                seconds: type.seconds,
                abbreviation: String(decoding: names.dropFirst(type.name).prefix { $0 != 0 }.prefix(10), as: UTF8.self))
        }
        let footer = reader.rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
        rule = ZoneRule(String(decoding: footer.prefix(100), as: UTF8.self))
    }

    /// What holds at a time, in seconds since 1970.
    func offset(at time: Int) -> Offset {
        // The first that is later.
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rule { return rule.offset(at: time) }
        return offsets[low == 0 ? 0 : transitions[low - 1].index]
    }

    private struct Counts {
        let universals, standards, leaps, times, types, characters: Int

        func size(ofTime size: Int) -> Int {
            times * (size + 1) + types * 6 + characters + leaps * (size + 4) + standards + universals
        }
    }

    private struct Reader {
        private(set) var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count >= 0, rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func skip(_ count: Int) -> Bool { take(count) != nil }

        /// Of two's complement, the most significant byte first; one byte has no sign.
        mutating func integer(_ size: Int) -> Int? {
            guard let bytes = take(size) else { return nil }
            let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(truncatingIfNeeded: value)
        }

        /// Nil if it isn't the header of version 2 or later.
        mutating func header() -> Counts? {
            guard take(4)?.elementsEqual("TZif".utf8) == true, let version = take(1)?.first,
                version >= UInt8(ascii: "2"), skip(15)
            else { return nil }
            let numbers = (0..<6).compactMap { _ in integer(4) }
            guard numbers.count == 6, numbers.allSatisfy({ 0...100_000 ~= $0 }) else { return nil }
            return Counts(
                universals: numbers[0], standards: numbers[1], leaps: numbers[2], times: numbers[3], types: numbers[4],
                characters: numbers[5])
        }
    }
}
