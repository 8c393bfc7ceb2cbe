import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A date in the format of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    ]
    /// The current second, and its text.
    private static let cache = Mutex((second: 0, text: ""))

    /// The current date.
    static var now: String {
        let second = time(nil)
        return cache.withLock { cache in
            if cache.second != second { cache = (second, format(second)) }
            return cache.text
        }
    }

    /// Formats a time in seconds since 1970.
    static func format(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil, days.indices.contains(Int(parts.tm_wday)),
            months.indices.contains(Int(parts.tm_mon))
        else { return "" }
        let day = "\(days[Int(parts.tm_wday)]), \(padded(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
        return "\(day) \(Int(parts.tm_year) + 1_900) \(clock) GMT"
    }

    private static func padded(_ number: CInt) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Parses a date; nil if it isn't in the preferred format, IMF-fixdate.
    ///
    /// - Returns: The time in seconds since 1970.
    static func parse(_ text: String) -> Int? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", words[0].count == 4, words[0].last == ",",
            days.contains(String(words[0].dropLast())), let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], digits: 2, 0...23),
            let minute = number(clock[1], digits: 2, 0...59), let second = number(clock[2], digits: 2, 0...60),
            let day = number(words[1], digits: 2, 1...31), let year = number(words[3], digits: 4, 0...9_999)
        else { return nil }
        var parts = tm()
        (parts.tm_sec, parts.tm_min, parts.tm_hour) = (second, minute, hour)
        (parts.tm_mday, parts.tm_mon, parts.tm_year) = (day, CInt(month), year - 1_900)
        return timegm(&parts)
    }

    private static func number(_ text: Substring, digits: Int, _ range: ClosedRange<CInt>) -> CInt? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return CInt(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
