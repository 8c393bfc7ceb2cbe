extension Int {
    /// Divides and rounds down, also for negative numbers.
    package func dividedDown(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    /// The number as text with at least two digits.
    package var twoDigits: String { 0..<10 ~= self ? "0\(self)" : "\(self)" }

    /// The number as an ordinal, as in `3rd`.
    package var ordinal: String {
        let last = self % 10
        guard 1...3 ~= last, self / 10 % 10 != 1 else { return "\(self)th" }
        let endings = ["st", "nd", "rd"]
        return "\(self)\(endings[last - 1])"
    }
}
