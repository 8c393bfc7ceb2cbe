/// A message in the form that listeners match against.
package struct RoutingInput: Sendable {
    let message: Message
    /// The text without the robot's name; nil if the message isn't addressed to the robot.
    let addressed: Substring?
    /// The same for remote listeners: to Hubot, a topic is a text too.
    let remoteAddressed: Substring?

    package init(_ message: consuming Message, _ addressing: Addressing) {
        let isForUs = message.room.isPrivate || message.isAddressed
        addressed = message.text.flatMap { isForUs ? addressing.privateWords(of: $0) : addressing.words(of: $0) }
        remoteAddressed = if case .topic(let topic) = message.content { addressing.words(of: topic) } else { addressed }
        self.message = message
    }

    /// Creates the form of a text message that isn't addressed to the robot.
    init(toOthers message: consuming Message) {
        self.message = message
        (addressed, remoteAddressed) = (nil, nil)
    }

    /// The text of the message; nil if it isn't a text message.
    var text: String? { message.text }

    /// What the addressed text may mean as a command if it is none itself: the text without punctuation at its end, without polite
    /// words at its beginning, and without both.
    var otherReadings: [RoutingInput] {
        // Most messages aren't addressed, and cost nothing here.
        guard let addressed else { return [] }
        let plain = Addressing.withoutPoliteWords(addressed).map { RoutingInput(message: message, addressed: $0) }
        return [unpunctuated, plain, plain?.unpunctuated].compactMap { $0 }
    }

    /// The input without punctuation at the end of the addressed text; nil if there is no punctuation, or nothing else.
    private var unpunctuated: RoutingInput? {
        // Most texts end with a letter or a digit: their last byte says so.
        guard var words = addressed, let byte = words.utf8.last, byte >= 0x80 || Addressing.isClosing(byte),
            let last = words.last, Addressing.isClosing(last)
        else { return nil }
        while let last = words.last, Addressing.isClosing(last) || last.isWhitespace { words.removeLast() }
        return words.isEmpty ? nil : RoutingInput(message: message, addressed: words)
    }

    private init(message: Message, addressed: Substring) {
        self.message = message
        (self.addressed, remoteAddressed) = (addressed, addressed)
    }
}
