import HeybotSupport

/// Why a stanza came back (RFC 6120 section 8.3).
package struct StanzaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind it is: `cancel`, `wait`, `auth`, `modify` or `continue`.
    package var type: String
    package var condition: ErrorCondition
    /// What the other side says of it, one line.
    package var text: String

    /// Makes one of its parts.
    package init(type: String = "cancel", condition: ErrorCondition, text: String = "") {
        self.type = type
        self.condition = condition
        self.text = text
    }

    /// What a stanza of type `error` holds; `undefined-condition` if it holds nothing.
    package init(_ stanza: Element) {
        let error = stanza.first("error", Namespace.client)
        type = error?["type"] ?? "cancel"
        let condition = error?.elements.first { $0.namespace == Namespace.stanzas && $0.name != "text" }
        self.condition = condition.map { ErrorCondition(SafeText.visible($0.name, limit: 300)) } ?? .undefinedCondition
        text = SafeText.visible(error?.first("text", Namespace.stanzas)?.text ?? "", limit: 300)
    }

    /// Whether a server in between sent it, since nobody was reached who could answer.
    var isUnreachable: Bool {
        [.remoteServerNotFound, .remoteServerTimeout, .recipientUnavailable, .resourceConstraint].contains(condition)
    }

    /// The element that tells it.
    var element: Element {
        var error = Element(
            "error", Namespace.client, ["type": type], Element(condition.description, Namespace.stanzas))
        if !text.isEmpty { error.append(Element("text", Namespace.stanzas, text: text)) }
        return error
    }

    package var description: String { text.isEmpty ? condition.description : "\(condition): \(text)" }
}
