import FoundationEssentials
import Heybot

/// A sentence that somebody has taught the robot: a subject, a verb, and what is said about the subject.
struct Fact: Codable, Hashable, Sendable {
    static let longest = 500
    /// The maximum length of a subject in characters.
    private static let longestSubject = 60
    /// The end of the verb of a fact that only gives another name to a subject.
    private static let sameAs = "the same as"
    /// Words that don't name anything.
    static let pronouns: Set<String> = [
        "all", "everybody", "everyone", "everything", "he", "here", "how", "i", "it", "me", "nobody", "nothing", "now",
        "she", "that", "there", "these", "they", "this", "those", "today", "tomorrow", "up", "us", "we", "what", "when",
        "where", "which", "who", "why", "you"
    ]

    /// The subject as it is shown, without an article.
    let subject: String
    /// Such as `is` or `are`; `is the same as` for another name of a subject.
    let verb: String
    let text: String
    let author: User.ID
    let date: Date

    /// Creates a fact from a command.
    ///
    /// - Throws: A ``Refusal`` if it is too long, or its subject isn't a name of something.
    init(
        _ subject: Substring, _ verb: Substring, _ text: Substring, by user: User, date: Date
    ) throws(Refusal) {
        let subject = Self.subject(subject, saidBy: user)
        guard !Self.pronouns.contains(subject.lowercased()) else {
            throw Refusal("What do you mean by \"\(subject)\"? Say the name of the thing, so that I can find it again.")
        }
        guard !subject.isEmpty, subject.last != "…" else {
            throw Refusal("Remember what? Use at most \(Self.longestSubject) characters for the name of the thing.")
        }
        let typed = text.unquoted
        guard typed.utf8.count <= Self.longest * 4, typed.count <= Self.longest else {
            throw Refusal("That's too long: a fact has at most \(Self.longest) characters.")
        }
        self.subject = subject
        self.verb = verb == "=" ? "is" : verb.lowercased()
        let isName = self.verb.hasSuffix(Self.sameAs)
        self.text = isName ? Self.subject(typed, saidBy: user) : String(oneLine: typed, limit: Self.longest)
        author = user.id
        self.date = date
        guard !self.text.isEmpty else {
            throw Refusal("Remember what? For example, say \"remember lunch is at noon\".")
        }
    }

    /// The fact as a sentence.
    var sentence: String { "\(subject) \(verb) \(text)" }

    /// The key of the fact in the brain.
    var key: String { Self.key(subject) }

    /// The key of the fact that this one only gives another name; nil if it says something itself.
    var target: String? {
        verb.hasSuffix(Self.sameAs) ? Self.key(text) : nil
    }

    /// Whether it says the same as another one.
    func isSame(as other: Fact) -> Bool { sentence.lowercased() == other.sentence.lowercased() }

    /// Whether it contains all of these words, given in lower case.
    func has(_ words: [Substring]) -> Bool {
        let text = sentence.lowercased().normalized
        return words.allSatisfy { text.contains($0) }
    }

    /// Returns a subject as it is shown: in one line, without an article, and with the user's name instead of `my`.
    static func subject(_ typed: Substring, saidBy user: User) -> String {
        var text = typed.beginning(bytes: longestSubject * 8).unquoted
        while let last = text.last, last.isWhitespace || ".,!?".contains(last) { text.removeLast() }
        let line = withoutArticle(String(oneLine: text.unquoted, limit: longestSubject)[...])
        let isOwn = line.lowercased().hasPrefix("my ")
        let owner = String(oneLine: user.name, limit: 30)
        return (isOwn ? "\(owner)'s \(line.dropFirst(3))" : String(line)).normalized
    }

    /// Returns the key of a subject.
    static func key(_ subject: some StringProtocol) -> String { subject.lowercased().normalized }

    private static func withoutArticle(_ text: Substring) -> Substring {
        let articles = ["the ", "an ", "a ", "our "]
        let article = articles.first { text.lowercased().hasPrefix($0) }
        return article.map { text.dropFirst($0.count) } ?? text
    }
}

/// A question about a fact, or a request to recall one.
enum FactQuestion {
    /// In bytes.
    private static let longest = 400

    /// Returns the subject that a text asks for; nil if it isn't a question.
    static func subject(of text: String) -> Substring? {
        guard text.utf8.count <= longest, !text.contains(where: \.isNewline) else { return nil }
        let meaning = /what (?:does|do) (?<subject>[^?]+?) mean[\s?!.]*/.ignoresCase()
        let question =
            /(?:what|where|when|who|which|how)(?:['’]s|['’]re| is| are| was| were) (?<subject>[^?]+?)[\s?!.]*/
            .ignoresCase()
        let request = /(?:remember|explain|(?:tell me|what) about) (?<subject>[^?]+?)[\s?!.]*/.ignoresCase()
        let bare = /(?<subject>[^?]+?)\s*\?+/
        if let match = text.wholeMatch(of: meaning) { return match.subject }
        if let match = text.wholeMatch(of: question) { return match.subject }
        if let match = text.wholeMatch(of: request) { return match.subject }
        return text.wholeMatch(of: bare)?.subject
    }

    /// Returns the subject that a text asks to forget; nil if it doesn't.
    ///
    /// Other scripts forget quotes and time zones.
    static func forgotten(by text: String) -> Substring? {
        guard text.utf8.count <= longest, !text.contains(where: \.isNewline) else { return nil }
        let pattern = /forget (?!quote\b)(?:about )?(?<subject>[^?]+?)[\s?!.]*/.ignoresCase()
        return text.wholeMatch(of: pattern)?.subject
    }
}
