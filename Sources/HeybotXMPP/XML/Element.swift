/// An XML element as a value: a stanza, or a part of one.
///
/// It has no comments and processing instructions, which XMPP doesn't allow, and no prefixes, which only stand for
/// namespaces.
package struct Element: Hashable, Sendable {
    /// A child of an element.
    package enum Node: Hashable, Sendable {
        /// A child element.
        case element(Element)
        /// Text, unescaped.
        case text(String)
    }

    /// The local name, such as `message`.
    package var name: String
    /// The namespace of the name, such as `jabber:client`; empty if it has none.
    package var namespace: String
    /// The attributes without a namespace, and `xml:lang`; their values are unescaped.
    package var attributes: Attributes
    /// The children, in order.
    package var children: [Node]

    /// Creates an element with child elements, or an empty one.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], _ children: Element...) {
        self.init(name, namespace, attributes, children: children.map(Node.element))
    }

    /// Creates an element with a text; an empty text adds no child.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], text: String) {
        self.init(name, namespace, attributes, children: text.isEmpty ? [] : [.text(text)])
    }

    /// Creates an element with child elements and texts.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], children: [Node]) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
    }
}

extension Element {
    /// The value of an attribute; nil if there is none.
    ///
    /// Setting nil removes the attribute.
    package subscript(attribute: String) -> String? {
        get { attributes[attribute] }
        set { attributes[attribute] = newValue }
    }

    /// The texts directly in the element, joined; empty if there is none.
    package var text: String {
        var text = ""
        for case .text(let part) in children {
            if text.isEmpty { text = part } else { text += part }
        }
        return text
    }

    /// The child elements, in order.
    package var elements: [Element] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Whether the element has this name in this namespace.
    package func `is`(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// Returns the first child element with this name in this namespace.
    package func first(_ name: String, _ namespace: String) -> Element? {
        for case .element(let element) in children where element.is(name, namespace) { return element }
        return nil
    }

    /// Returns the child elements with this name in this namespace, in order.
    package func all(_ name: String, _ namespace: String) -> [Element] {
        children.compactMap { child in
            guard case .element(let element) = child, element.is(name, namespace) else { return nil }
            return element
        }
    }

    /// Whether there is a child element with this name in this namespace.
    package func has(_ name: String, _ namespace: String) -> Bool {
        children.contains { child in
            if case .element(let element) = child { element.is(name, namespace) } else { false }
        }
    }

    /// Appends a child element.
    package mutating func append(_ element: Element) {
        children.append(.element(element))
    }
}

/// A name in a namespace.
package struct QualifiedName: Hashable, Sendable {
    /// The local name, such as `success`.
    package var name: String
    /// The namespace.
    package var namespace: String

    /// Creates a name from its parts.
    package init(_ name: String, _ namespace: String) {
        self.name = name
        self.namespace = namespace
    }
}
