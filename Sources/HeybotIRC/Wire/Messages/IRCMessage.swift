/// One message of the protocol, in either direction (RFC 1459 2.3.1, with the tags of IRCv3 message-tags).
///
/// Neither the length of a line nor the number of parameters is limited here; readers and writers limit them.
package struct IRCMessage: Hashable, Sendable {
    /// The tags, unescaped; a tag without a value has an empty one.
    package var tags: [String: String] {
        get { tagsIfAny ?? [:] }
        set { tagsIfAny = newValue.isEmpty ? nil : newValue }
    }
    /// Nil if there are none, because even an empty dictionary costs something to copy.
    private(set) var tagsIfAny: [String: String]?
    /// The source, without its colon, unparsed; see ``Source``.
    package var source: String?
    /// A word such as `PRIVMSG`, or a three-digit numeric.
    package var command: String
    /// The parameters; the last may be empty, contain spaces or begin with a colon.
    package var parameters: [String]

    /// Creates a message.
    package init(
        tags: [String: String] = [:], source: String? = nil, _ command: String, _ parameters: String...
    ) {
        self.init(tags: tags, source: source, command, parameters)
    }

    /// Creates a message.
    package init(
        tags: [String: String] = [:], source: String? = nil, _ command: String, _ parameters: [String]
    ) {
        self.init(tagsIfAny: tags, source: source, command, parameters)
    }

    init(tagsIfAny tags: [String: String]?, source: String?, _ command: String, _ parameters: [String]) {
        tagsIfAny = tags?.isEmpty == false ? tags : nil
        self.source = source
        self.command = command
        self.parameters = parameters
    }

    /// Parses a line, with or without its line break; nil if it isn't a message.
    ///
    /// A command must consist of ASCII letters and digits. CR, LF and NUL within the line are read as spaces. A part that isn't
    /// valid UTF-8 is decoded as Windows-1252.
    package init?(_ line: ArraySlice<UInt8>) {
        guard let message = line.withUnsafeBufferPointer(MessageParser.message(in:)) else { return nil }
        self = message
    }

    /// Parses a line, with or without its line break; nil if it isn't a message.
    ///
    /// A command must consist of ASCII letters and digits.
    package init?(_ line: String) {
        var line = line
        guard let message = line.withUTF8(MessageParser.message(in:)) else { return nil }
        self = message
    }
}
