/// A player's answer to one command: lines with a name and a value, in order.
package struct MPDResponse: Hashable, Sendable {
    /// A line `name: value`.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }

        /// Parses a line; nil if it has no name.
        init?(_ line: some Collection<UInt8>) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else { return nil }
            name = String(decoding: line[..<colon], as: UTF8.self)
            let value = line[colon...].dropFirst()
            self.value = String(decoding: value.first == 0x20 ? value.dropFirst() : value, as: UTF8.self)
        }
    }

    /// The lines.
    package private(set) var fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    mutating func append(_ field: Field) { fields.append(field) }

    /// The first value with a name.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// An error that the player reports: `ACK [50@0] {addid} No such song`.
package struct MPDServerError: Hashable, Sendable {
    /// The kind of an error, from MPD's `protocol/Ack.hxx`.
    package enum Code: Int, Sendable {
        case notAList = 1
        case argument = 2
        case password = 3
        case permission = 4
        case unknown = 5
        case doesNotExist = 50
        case tooManySongs = 51
        case system = 52
        case playlistLoad = 53
        case updateRuns = 54
        case playerState = 55
        case exists = 56
    }

    /// The number of the code, which may be one that ``Code`` doesn't have.
    package let number: Int
    /// The index of the command in its list.
    package let index: Int
    /// The name of the command; empty if the player doesn't know it.
    package let command: String
    /// The player's explanation.
    package let message: String

    package var code: Code? { Code(rawValue: number) }

    /// Parses a line; nil if it isn't such an error.
    init?(_ line: some Collection<UInt8>) {
        // Almost no line is an error.
        guard line.starts(with: "ACK [".utf8) else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        guard let match = text.wholeMatch(of: /ACK \[([0-9]{1,9})@([0-9]{1,9})\] \{([^}]*)\} ?(.*)/),
            let number = Int(match.1), let index = Int(match.2)
        else { return nil }
        (self.number, self.index) = (number, index)
        (command, message) = (String(match.3), String(match.4))
    }
}
