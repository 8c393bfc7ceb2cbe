import Heybot
import HeybotSupport

/// A text as it is shown in another room: its author's name, and one or more lines.
struct RelayedText: Hashable, Sendable {
    private static let longestName = 30
    /// In bytes as ``size(of:)`` counts them, of a text.
    ///
    /// A network that splits a longer one would show a part without the mark.
    private static let longestText = 4_000
    /// In such bytes, of a message that several texts share.
    private static let longestMessage = 2_000
    private static let mostLines = 20
    /// On a network on which each line is a message of its own.
    private static let mostSeparateLines = 5

    /// The room from which it comes.
    let source: Room.ID
    /// The id of its author.
    let author: String
    /// The author's name, as in `<ada> `, or for an action `* ada `.
    let prefix: String
    /// Whether it is what its author does, as in `/me waves`.
    let isAction: Bool
    /// The text, a line each.
    private(set) var lines: [String]
    /// Later texts, of anybody, that share the message.
    private var following: [String] = []
    /// How many texts it is.
    private(set) var count = 1

    /// The text for chat.
    ///
    /// A further line is marked, so that it doesn't look like a text of somebody else.
    var shown: String { ([prefix + lines.joined(separator: "\n| ")] + following).joined(separator: "\n") }

    /// Creates a text from lines that are safe for chat.
    init(source: Room.ID, author: String, prefix: String, isAction: Bool, lines: [String]) {
        (self.source, self.author, self.prefix) = (source, author, prefix)
        (self.isAction, self.lines) = (isAction, lines)
    }

    /// Creates a text from a foreign one, of which only the beginning is shown if it is long.
    ///
    /// - Parameters:
    ///   - name: The author's name.
    ///   - author: The author's id.
    ///   - isCorrection: Whether it replaces an earlier text.
    /// - Returns: Nil if nothing of the text can be seen.
    init?(
        _ text: String, by name: String, _ author: User.ID, in source: Room.ID, isAction: Bool = false,
        isCorrection: Bool = false
    ) {
        // Of several megabytes, only the beginning costs time.
        let beginning = Self.beginning(of: text)
        let all = beginning.split(whereSeparator: \.isNewline)
        var lines = all.prefix(Self.mostLines).map(Self.visible)
        lines.removeAll { $0.allSatisfy(\.isWhitespace) }
        guard !lines.isEmpty else { return nil }
        if all.count > Self.mostLines || beginning.endIndex < text.endIndex { lines.append("… (and more)") }
        if isCorrection { lines[lines.count - 1] += " (edited)" }
        // A name with a bracket could look like another name and its text.
        let scalars = String(oneLine: name, limit: Self.longestName).unicodeScalars.filter { $0 != "<" && $0 != ">" }
        let marked = RelayMark.marking(String(scalars))
        self.init(
            source: source, author: author.description, prefix: isAction ? "* \(marked) " : "<\(marked)> ",
            isAction: isAction, lines: lines)
    }

    /// Creates the text to show for a message; nil for a join, a leave, a reaction, a retraction, a new name, or a
    /// text that a robot has already relayed.
    init?(_ message: Message) {
        let (user, room) = (message.user, message.room.id)
        switch message.content {
        case .enter, .leave, .reaction, .retraction, .profile: return nil
        case .topic(let topic):
            let text = topic.isEmpty ? "removed the topic" : "set the topic: \(topic)"
            self.init(text, by: user.shortName, user.id, in: room, isAction: true)
        case .text(let text):
            guard !RelayMark.isOn(text) else { return nil }
            let saysAction = text.hasPrefix("/me ")
            self.init(
                saysAction ? String(text.dropFirst(4)) : text, by: user.shortName, user.id, in: room,
                isAction: saysAction || message.isAction, isCorrection: message.correction != nil)
        }
    }

    /// Returns the most bytes of a line in a room, with its author's name, on a network on which each line is a
    /// message.
    ///
    /// Such a network (IRC) sends at most 512 bytes, with the names of the robot and the room. It would split a longer
    /// line, and a part without the mark could be a command for another robot.
    static func longestLine(in room: Room.ID) -> Int { max(350 - room.value.utf8.count, 150) }

    /// Returns the text as a few short ones, for a network on which each line is a message of its own.
    func separateLines(longest: Int) -> [RelayedText] {
        let room = max(longest - prefix.utf8.count, 20)
        let pieces = lines.flatMap { Self.pieces($0, longest: room) }
        var shown = Array(pieces.prefix(Self.mostSeparateLines))
        let rest = pieces.count - shown.count
        if rest > 0 { shown.append(rest == 1 ? "(1 more line)" : "(\(rest) more lines)") }
        return shown.map { line in
            var text = self
            text.lines = [line]
            return text
        }
    }

    /// Returns the beginning of a text that fits into a message.
    private static func beginning(of text: String) -> Substring {
        let scalars = text.unicodeScalars
        var (end, bytes) = (scalars.startIndex, 0)
        while end < scalars.endIndex {
            bytes += size(of: scalars[end])
            if bytes > longestText { break }
            scalars.formIndex(after: &end)
        }
        return text[..<end]
    }

    /// Returns the bytes that a scalar takes in XML or HTML.
    private static func size(of scalar: Unicode.Scalar) -> Int {
        switch scalar {
        case "&", "<", ">": 5
        default: UTF8.width(scalar)
        }
    }

    private static func size(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + size(of: $1) } }

    /// Returns the visible scalars of a line, with its indentation.
    private static func visible(_ line: Substring) -> String {
        let scalars = line.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar == "\t" { return " " }
            return SafeText.kind(of: scalar) == .visible ? scalar : nil
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns a line in pieces that fit into a message.
    private static func pieces(_ line: String, longest: Int) -> [String] {
        var pieces: [String] = []
        var rest = line[...]
        while !rest.isEmpty {
            let piece = rest.beginning(bytes: longest)
            pieces.append(String(piece))
            rest = rest[piece.endIndex...]
        }
        return pieces
    }

    /// Adds a later text to the same message: as a line of its own, or to the same line if both have the same author.
    ///
    /// - Parameter longestLine: The most bytes of a line if each line is a message of its own; or else nil.
    /// - Returns: False if that makes the message too long, or the author is another one.
    mutating func fold(_ next: RelayedText, longestLine: Int?) -> Bool {
        guard let longestLine else {
            guard Self.size(of: shown) + Self.size(of: next.shown) <= Self.longestMessage else { return false }
            following.append(next.shown)
            count += next.count
            return true
        }
        guard !isAction, next.prefix == prefix, next.author == author else { return false }
        let line = (lines + next.lines).joined(separator: " / ")
        guard prefix.utf8.count + line.utf8.count <= longestLine else { return false }
        lines = [line]
        count += next.count
        return true
    }
}
