import HeybotSupport

/// A stanza error (RFC 6120 section 8.3).
package struct StanzaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error type: `cancel`, `wait`, `auth`, `modify` or `continue`.
    package var type: String
    package var condition: DefinedCondition
    /// The sender's description, in one line.
    package var text: String

    /// Creates an error from its parts.
    package init(type: String = "cancel", condition: DefinedCondition, text: String = "") {
        self.type = type
        self.condition = condition
        self.text = text
    }

    /// Reads the error of a stanza of type `error`; `undefined-condition` if it has none.
    package init(_ stanza: Element) {
        let error = stanza.first("error", Namespace.client)
        type = error?["type"] ?? "cancel"
        let condition = error?.elements.first { $0.namespace == Namespace.stanzas && $0.name != "text" }
        self.condition =
            condition.map { DefinedCondition(SafeText.visible($0.name, limit: 300)) } ?? .undefinedCondition
        text = SafeText.visible(error?.first("text", Namespace.stanzas)?.text ?? "", limit: 300)
    }

    /// Whether the error comes from a server on the way, because the recipient wasn't reached.
    var isUnreachable: Bool {
        [.remoteServerNotFound, .remoteServerTimeout, .recipientUnavailable, .resourceConstraint].contains(condition)
    }

    /// The `error` element.
    var element: Element {
        var error = Element(
            "error", Namespace.client, ["type": type], Element(condition.description, Namespace.stanzas))
        if !text.isEmpty { error.append(Element("text", Namespace.stanzas, text: text)) }
        return error
    }

    package var description: String { text.isEmpty ? condition.description : "\(condition): \(text)" }
}
