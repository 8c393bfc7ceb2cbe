/// A chat command that users can also give by a form in their client: an ad-hoc command (XEP-0050).
package struct AdHocCommand: Hashable, Sendable {
    /// A field of its form.
    package struct Field: Hashable, Sendable {
        /// What can be entered.
        package enum Kind: Hashable, Sendable {
            /// A line of text.
            case text
            /// A line of text that the client hides.
            case secret
            /// One of these values, with what the client shows for each.
            case choice([Option])
            /// One of the rooms that the session is in; if none is required, also all of them.
            case room
        }

        /// A value to choose.
        package struct Option: Hashable, Sendable {
            /// What stands in forms for an empty value: Profanity crashes if an option has none.
            fileprivate static let nothing = "-"

            /// What the client shows.
            package let label: String
            package let value: String

            /// What a required field begins with, so that nobody sends a value without having chosen it.
            fileprivate static let prompt = Option("Choose one", "")

            /// Creates an option; an empty value means that nothing is chosen.
            package init(_ label: String, _ value: String) { (self.label, self.value) = (label, value) }
        }

        /// The field's name.
        package let name: String
        package let label: String
        package let kind: Kind
        package let isRequired: Bool
        /// The word before the value in the command, such as `in`; nil for none.
        package let precedingWord: String?

        /// Creates a field.
        package init(
            _ name: String, _ label: String, _ kind: Kind = .text, isRequired: Bool = false, after word: String? = nil
        ) {
            (self.name, self.label, self.kind, self.isRequired) = (name, label, kind, isRequired)
            precedingWord = word
        }
    }

    /// The node that identifies it: the words of the chat command before its first placeholder, such as `join`.
    package let node: String
    package let title: String
    /// The text above the fields; nil for none.
    package let instructions: String?
    package let fields: [Field]

    /// Creates a command; without instructions and fields, it runs at once.
    package init(_ node: String, title: String, instructions: String? = nil, _ fields: Field...) {
        (self.node, self.title, self.instructions, self.fields) = (node, title, instructions, fields)
    }

    /// Whether there is nothing to fill in or to confirm.
    var isImmediate: Bool { instructions == nil && fields.isEmpty }

    /// Returns what is to be said about a required value that a submitted form lacks; nil if it lacks none.
    func problem(with values: [String: String]) -> String? {
        let missing = fields.first { $0.isRequired && $0.isEmpty(values[$0.name] ?? "") }
        // Without the example in the label.
        return missing.map { "\"\($0.label.prefix { $0 != "," })\" is missing." }
    }

    /// Returns the chat command that a submitted form stands for.
    ///
    /// - Parameters:
    ///   - values: The submitted values, by the names of the fields; those of other fields are ignored.
    ///   - rooms: The rooms that the session is in.
    /// - Returns: Nil if a required value is missing, or if a value isn't one of those to choose.
    func text(_ values: [String: String], rooms: [JID]) -> String? {
        var words = [node]
        for field in fields {
            let options = field.options(rooms: rooms)
            let value = values[field.name] ?? ""
            if field.isEmpty(value) {
                if field.isRequired { return nil }
                continue
            }
            if let options, !options.contains(where: { $0.value == value }) { return nil }
            if let word = field.precedingWord { words.append(word) }
            words.append(value)
        }
        return words.joined(separator: " ")
    }
}

extension AdHocCommand.Field {
    private static let maxRooms = 100

    /// Whether a submitted value means none.
    fileprivate func isEmpty(_ value: String) -> Bool {
        switch kind {
        case .text, .secret: value.isEmpty
        case .choice, .room: value.isEmpty || value == Option.nothing
        }
    }

    /// Returns the values to choose from; nil if any text can be entered.
    fileprivate func options(rooms: [JID]) -> [Option]? {
        switch kind {
        case .text, .secret: nil
        case .choice(let options): isRequired ? [.prompt] + options : options
        case .room: [isRequired ? .prompt : Option("All rooms", "")] + roomOptions(rooms)
        }
    }

    private func roomOptions(_ rooms: [JID]) -> [Option] {
        rooms.prefix(Self.maxRooms).map { Option($0.description, $0.description) }
    }

    /// Returns the field of a data form.
    ///
    /// - Parameter value: The value that was submitted before; empty for none.
    fileprivate func element(rooms: [JID], value: String) -> Element {
        let type =
            switch kind {
            case .text: "text-single"
            case .secret: "text-private"
            case .choice, .room: "list-single"
            }
        var field = Element("field", Namespace.data, ["var": name, "type": type, "label": label])
        if isRequired { field.append(Element("required", Namespace.data)) }
        let options = (options(rooms: rooms) ?? []).map { option in
            let value = option.value.isEmpty ? Option.nothing : option.value
            return (option.label, value: Element("value", Namespace.data, text: value))
        }
        // Profanity shows no options unless one is chosen.
        let chosen = options.first { $0.value.text == value } ?? options.first
        if let chosen {
            field.append(chosen.value)
        } else if !value.isEmpty, kind != .secret {
            field.append(Element("value", Namespace.data, text: value))
        }
        for (label, value) in options {
            field.append(Element("option", Namespace.data, ["label": label], value))
        }
        return field
    }
}

// Data forms (XEP-0004).

extension AdHocCommand {
    private static let maxFields = 20
    /// In bytes.
    private static let longestValue = 1_000

    /// Returns the form to fill in.
    ///
    /// - Parameters:
    ///   - rooms: The rooms that the session is in.
    ///   - values: The values that were submitted before, by the names of the fields.
    func element(rooms: [JID], values: [String: String] = [:]) -> Element {
        var form = Element(
            "x", Namespace.data, ["type": "form"], Element("title", Namespace.data, text: title))
        if let instructions { form.append(Element("instructions", Namespace.data, text: instructions)) }
        for field in fields { form.append(field.element(rooms: rooms, value: values[field.name] ?? "")) }
        return form
    }

    /// Returns the form that shows a result of several lines.
    func result(_ lines: [Substring]) -> Element {
        var field = Element("field", Namespace.data, ["var": "result", "type": "text-multi", "label": "Answer"])
        for line in lines { field.append(Element("value", Namespace.data, text: String(line))) }
        return Element(
            "x", Namespace.data, ["type": "result"], Element("title", Namespace.data, text: title), field)
    }

    /// Reads the values of a submitted form, by the names of the fields; each is a line, without superfluous blanks.
    ///
    /// - Returns: Nil if it isn't a submitted form, is too long, or has a field twice or with several values.
    static func values(in form: Element) -> [String: String]? {
        guard form.is("x", Namespace.data), form["type"] == "submit" else { return nil }
        let fields = form.all("field", Namespace.data)
        guard fields.count <= maxFields else { return nil }
        var values: [String: String] = [:]
        for field in fields {
            guard let name = field["var"] else { continue }
            let texts = field.all("value", Namespace.data)
            let text = texts.first?.text ?? ""
            guard values[name] == nil, texts.count <= 1, isLine(text) else { return nil }
            values[name] = text.split(separator: " ").joined(separator: " ")
        }
        return values
    }

    private static func isLine(_ text: String) -> Bool {
        text.utf8.count <= longestValue
            && !text.unicodeScalars.contains {
                switch $0.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
    }
}
