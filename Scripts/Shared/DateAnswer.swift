/// The answer to a question about words that can mean several times: `17:00`, if the words were `tomorrow at 5`.
enum DateAnswer {
    /// Returns the texts that an answer can stand for, the most likely first.
    ///
    /// - Parameter words: The words that the question was about; nil if it was about no words.
    static func readings(of answer: String, about words: String?) -> [String] {
        guard let words, !words.isEmpty else { return [answer] }
        let lowercased = answer.lowercased()
        let isIntroduced = lowercased.hasPrefix("at ")
        let clock = isIntroduced ? String(answer.dropFirst(3)) : answer
        var readings: [String] = []
        // In "at 5 on 3 March", only one of the numbers is a time of day, usually the one after "at".
        let number = /\b(?<at>at )?[0-9]{1,2}(?:[:.][0-9]{2})?\b/.ignoresCase().wordBoundaryKind(.simple)
        for match in words.matches(of: number).reversed() {
            let replacement = "\(match.output.at ?? "")\(clock)"
            readings.append("\(words[..<match.range.lowerBound])\(replacement)\(words[match.range.upperBound...])")
        }
        return readings + ["\(words) \(answer)", "\(answer) \(words)", answer]
    }
}
