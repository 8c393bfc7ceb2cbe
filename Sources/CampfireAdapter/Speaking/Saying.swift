import Heybot
import HeybotSupport

/// What is said, as Campfire takes it.
struct Saying: Hashable, Sendable {
    let body: HTTPBody
    /// The text as people see it; nil for a file.
    let text: String?
    /// Whether it may also be a webhook's answer.
    let isText: Bool

    /// An utterance in Campfire's terms; nil if there is nothing to say.
    ///
    /// An emote is said as `* Marvin dances *`.
    init?(_ utterance: Utterance, to envelope: Envelope, as robotName: String) throws(CampfireError) {
        let text: String
        switch utterance {
        case .text(let words): text = words
        case .reply(let words): text = envelope.plainReply(words)
        case .emote(let words): text = "* \(robotName) \(words) *"
        case .topic: throw .noTopics
        case .attachment(let attachment):
            var generator = SystemRandomNumberGenerator()
            body = Multipart.body(of: attachment, using: &generator)
            self.text = nil
            isText = false
            return
        }
        guard !utterance.content.allSatisfy(\.isWhitespace) else { return nil }
        // Campfire takes all that is said for HTML, whatever its type. What would be more than text there, or lines that
        // it would join, goes as the HTML that shows it.
        let html = Self.html(text)
        body = html == text ? .text(text) : .text(html, type: "text/html; charset=utf-8")
        self.text = text
        isText = true
    }

    private static func html(_ text: String) -> String {
        SafeText.html(text, isInQuotes: false).replacing("\r\n", with: "<br>").replacing("\n", with: "<br>").replacing(
            "\r", with: "<br>")
    }
}
