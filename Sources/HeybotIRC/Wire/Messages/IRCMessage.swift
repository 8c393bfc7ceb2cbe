/// One message of the protocol, as either side sends it.
///
/// RFC 1459 2.3.1, with the tags of IRCv3 message-tags. Neither the length of a line nor the number of parameters is
/// limited here: whoever reads and sends lines sees to that.
package struct IRCMessage: Hashable, Sendable {
    /// What is said about the message, unescaped; a tag without a value has the empty one.
    package var tags: [String: String]
    /// Whom it is from, without its colon, as it came: ``Source`` takes it apart.
    package var source: String?
    /// A word such as `PRIVMSG`, or a number of three digits, as it came.
    package var command: String
    /// What belongs to the command; the last may be empty, have spaces or begin with a colon.
    package var parameters: [String]

    /// Makes a message of its parts.
    package init(
        tags: [String: String] = [:], source: String? = nil, _ command: String, _ parameters: String...
    ) {
        self.init(tags: tags, source: source, command, parameters)
    }

    /// Makes a message of its parts.
    package init(
        tags: [String: String] = [:], source: String? = nil, _ command: String, _ parameters: [String]
    ) {
        self.tags = tags
        self.source = source
        self.command = command
        self.parameters = parameters
    }

    /// Reads one line, without or with its line break; nil if it is no message.
    ///
    /// A message has a command, of ASCII letters and digits only. CR, LF and NUL within the line are read as spaces. A
    /// part that is no UTF-8 is read as Windows-1252, as old clients send it.
    package init?(_ line: ArraySlice<UInt8>) {
        guard let message = line.withUnsafeBufferPointer(MessageParser.message(in:)) else { return nil }
        self = message
    }

    /// Reads one line, without or with its line break; nil if it is no message.
    ///
    /// As with bytes: a message has a command, of ASCII letters and digits only.
    package init?(_ line: String) {
        var line = line
        guard let message = line.withUTF8(MessageParser.message(in:)) else { return nil }
        self = message
    }
}
