/// The offsets of a time zone and their transitions, read from a TZif file (RFC 9636).
package struct TimeZoneData: Sendable {
    /// An offset from UTC with its abbreviation.
    package struct Offset: Hashable, Sendable {
        /// Local time minus UTC, in seconds.
        package let seconds: Int
        /// The abbreviation, as in `CET`, or `+03` if it has no letters.
        package let abbreviation: String

        /// Creates an offset.
        package init(seconds: Int, abbreviation: String) {
            (self.seconds, self.abbreviation) = (seconds, abbreviation)
        }
    }

    /// The transitions in order: the time in seconds since 1970, and the index of the offset from then on.
    private let transitions: [(time: Int, index: Int)]
    private let offsets: [Offset]
    /// The rule after the last transition.
    private let rule: POSIXTimeZoneRule?

    /// UTC.
    package static let utc = TimeZoneData(POSIXTimeZoneRule.utc)

    /// Creates a zone that always follows one rule.
    package init(_ rule: POSIXTimeZoneRule) {
        transitions = []
        offsets = []
        self.rule = rule
    }

    /// Parses a TZif file; nil if it is invalid, or of version 1, which ends with the year 2037.
    package init?(tzif bytes: [UInt8]) {
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
        // RFC 9636 section 3.2.
        let limits = -89_999...93_599
        for _ in 0..<counts.types {
            guard let seconds = reader.integer(4), limits ~= seconds, reader.take(1) != nil,
                let name = reader.integer(1)
            else { return nil }
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
        rule = POSIXTimeZoneRule(String(decoding: footer.prefix(100), as: UTF8.self))
    }

    /// Returns the offset at a time, in seconds since 1970.
    package func offset(at time: Int) -> Offset {
        let later = indexOfTransition(after: time)
        if later == transitions.count, let rule { return rule.offset(at: time) }
        return offsets[later == 0 ? 0 : transitions[later - 1].index]
    }

    /// Returns the first transition after a time, in seconds since 1970; nil if there is none.
    package func nextTransition(after time: Int) -> Int? {
        let later = indexOfTransition(after: time)
        return later < transitions.count ? transitions[later].time : rule?.nextTransition(after: time)
    }

    /// Finds the first later transition by binary search.
    private func indexOfTransition(after time: Int) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
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

        /// Reads a big-endian integer in two's complement.
        ///
        /// A single byte is unsigned.
        mutating func integer(_ size: Int) -> Int? {
            guard let bytes = take(size) else { return nil }
            let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(truncatingIfNeeded: value)
        }

        /// Reads a header; nil if it isn't of version 2 or later.
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
