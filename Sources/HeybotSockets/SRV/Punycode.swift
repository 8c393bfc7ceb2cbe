/// The encoder of Punycode (RFC 3492).
enum Punycode {
    // The parameters for IDNA (section 5).
    private static let base = 36
    private static let leastThreshold = 1
    private static let mostThreshold = 26
    private static let skew = 38
    private static let damping = 700
    private static let firstBias = 72

    /// Encodes a text, without the prefix `xn--`; ASCII stays unchanged.
    ///
    /// Takes quadratic time, which is fine for labels.
    static func encoded(_ text: some Sequence<Unicode.Scalar>) -> String {
        let input = text.map { Int($0.value) }
        var output = input.compactMap { $0 < 0x80 ? UInt8($0) : nil }
        let plain = output.count
        if plain > 0 { output.append(UInt8(ascii: "-")) }
        var (done, bias, delta, current) = (plain, firstBias, 0, 0x80)
        while done < input.count, let next = input.filter({ $0 >= current }).min() {
            delta += (next - current) * (done + 1)
            for scalar in input {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, count: done + 1, isFirst: done == plain)
                (delta, done) = (0, done + 1)
            }
            (delta, current) = (delta + 1, next + 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a variable-length integer (section 3.3).
    private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
        var rest = number
        var place = base
        while true {
            let threshold = min(max(place - bias, leastThreshold), mostThreshold)
            if rest < threshold { return output.append(digit(rest)) }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
    }

    /// Digits are a to z, then 0 to 9.
    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x30 + value - 26)
    }

    /// Returns the adapted bias (section 3.4).
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damping : delta / 2
        delta += delta / count
        var bias = 0
        while delta > (base - leastThreshold) * mostThreshold / 2 {
            delta /= base - leastThreshold
            bias += base
        }
        return bias + (base - leastThreshold + 1) * delta / (delta + skew)
    }
}
