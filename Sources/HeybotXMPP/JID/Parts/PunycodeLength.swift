/// The length of a label in Punycode (RFC 3492 section 6.3).
enum PunycodeLength {
    /// Returns the number of bytes without the prefix `xn--`.
    static func count(of label: [Unicode.Scalar]) -> Int {
        let plain = label.count { $0.isASCII }
        // The ASCII characters, and a hyphen after them.
        var count = plain > 0 ? plain + 1 : 0
        var (code, delta, bias, done) = (UInt32(0x80), 0, 72, plain)
        while let next = label.lazy.map(\.value).filter({ $0 >= code }).min() {
            delta += Int(next - code) * (done + 1)
            for scalar in label {
                if scalar.value < next { delta += 1 }
                if scalar.value == next {
                    count += digits(of: delta, bias)
                    bias = adapted(delta, isFirst: done == plain, count: done + 1)
                    delta = 0
                    done += 1
                }
            }
            delta += 1
            code = next + 1
        }
        return count
    }

    /// Returns the number of digits of an integer.
    private static func digits(of number: Int, _ bias: Int) -> Int {
        var (rest, count, step) = (number, 1, 36)
        while true {
            let threshold = min(max(step - bias, 1), 26)
            if rest < threshold { return count }
            rest = (rest - threshold) / (36 - threshold)
            count += 1
            step += 36
        }
    }

    /// Returns the next bias (RFC 3492 section 6.1).
    private static func adapted(_ delta: Int, isFirst: Bool, count: Int) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
