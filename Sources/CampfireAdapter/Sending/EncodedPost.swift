import Heybot
import HeybotSupport

/// A message in Campfire's format.
struct EncodedPost: Hashable, Sendable {
    let body: HTTPRequestBody
    /// The text as users see it; nil for a file.
    let text: String?
    /// Whether it can be a webhook response.
    let isText: Bool

    /// Converts an utterance; nil if it is blank.
    ///
    /// An emote becomes `* Marvin dances *`.
    init?(_ utterance: Utterance, to envelope: Envelope, as robotName: String) throws(CampfireError) {
        let text: String
        switch utterance {
        case .text(let words): text = words
        case .reply(let words): text = envelope.plainReply(words)
        case .emote(let words): text = "* \(robotName) \(words) *"
        case .topic: throw .noTopics
        case .attachment(let attachment):
            var generator = SystemRandomNumberGenerator()
            body = MultipartForm.body(of: attachment, using: &generator)
            self.text = nil
            isText = false
            return
        }
        guard !utterance.content.allSatisfy(\.isWhitespace) else { return nil }
        // Campfire treats everything as HTML, whatever its type. Text with markup or several lines is sent as the HTML that
        // displays it.
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
