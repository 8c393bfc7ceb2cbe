/// A short answer to a question.
package enum YesOrNo: Sendable {
    case yes
    case no

    /// Reads an answer; nil if it is neither, or a sentence that may be meant for somebody else.
    package init?(_ answer: String) {
        guard answer.utf8.count <= Self.longest else { return nil }
        let words = answer.lowercased().replacing("go ahead", with: "yes").split { !$0.isLetter }
        guard !words.isEmpty else {
            guard let sign = Self.sign(answer) else { return nil }
            self = sign
            return
        }
        if words.allSatisfy(Self.yesWords.contains) {
            self = .yes
        } else if Self.noPhrases.contains(words.joined(separator: " ")) {
            self = .no
        } else {
            return nil
        }
    }

    /// Reads an answer without letters, such as 👍.
    private static func sign(_ answer: String) -> YesOrNo? {
        // The first scalar of an emoji, because a skin tone may follow.
        let signs = answer.filter { !$0.isWhitespace }.compactMap { $0.unicodeScalars.first }
        guard !signs.isEmpty else { return nil }
        if signs.allSatisfy(yesSigns.contains) { return .yes }
        return signs.allSatisfy(noSigns.contains) ? .no : nil
    }

    /// In bytes.
    private static let longest = 100

    private static let yesWords: Set<Substring> = [
        "yes", "y", "yep", "yeah", "yup", "ok", "okay", "sure", "confirm", "please"
    ]

    /// The apostrophe of "don't" is left out.
    private static let noPhrases: Set<String> = [
        "no", "n", "nope", "nah", "no thanks", "no thank you", "better not", "not now", "don t", "dont", "no don t",
        "cancel", "cancel it", "cancel that", "abort", "stop", "nothing", "never", "never mind", "nevermind",
        "forget it"
    ]

    private static let yesSigns: Set<Unicode.Scalar> = ["👍", "👌", "✅"]
    private static let noSigns: Set<Unicode.Scalar> = ["👎", "❌", "🚫"]
}
