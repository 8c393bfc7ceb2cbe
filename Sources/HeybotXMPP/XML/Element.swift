/// An XML element as a value: a stanza, or a part of one.
///
/// Comments, processing instructions and prefixes have no place in it: XMPP has neither of the former, and a prefix only
/// stands for a namespace.
package struct Element: Hashable, Sendable {
    /// What an element can contain.
    package enum Node: Hashable, Sendable {
        /// An element within the element.
        case element(Element)
        /// Text, unescaped.
        case text(String)
    }

    /// Its local name: `message`.
    package var name: String
    /// The namespace of its name, such as `jabber:client`; empty if it has none.
    package var namespace: String
    /// The values by name, unescaped: of attributes without a namespace, and of `xml:lang`.
    package var attributes: Attributes
    /// What is in it, in order.
    package var children: [Node]

    /// Makes one of elements, or an empty one.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], _ children: Element...) {
        self.init(name, namespace, attributes, children: children.map(Node.element))
    }

    /// Makes one of a text; without children if that is empty.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], text: String) {
        self.init(name, namespace, attributes, children: text.isEmpty ? [] : [.text(text)])
    }

    /// Makes one of elements and texts.
    package init(_ name: String, _ namespace: String, _ attributes: Attributes = [:], children: [Node]) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
    }
}

extension Element {
    /// The value of an attribute; nil if it has none of that name, and so it is taken away.
    package subscript(attribute: String) -> String? {
        get { attributes[attribute] }
        set { attributes[attribute] = newValue }
    }

    /// The texts directly in it, joined; empty if there is none.
    package var text: String {
        var text = ""
        for case .text(let part) in children {
            if text.isEmpty { text = part } else { text += part }
        }
        return text
    }

    /// The elements directly in it, in order.
    package var elements: [Element] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Whether it has that name in that namespace.
    package func `is`(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// The first element directly in it with that name in that namespace.
    package func first(_ name: String, _ namespace: String) -> Element? {
        for case .element(let element) in children where element.is(name, namespace) { return element }
        return nil
    }

    /// The elements directly in it with that name in that namespace, in order.
    package func all(_ name: String, _ namespace: String) -> [Element] {
        children.compactMap { child in
            guard case .element(let element) = child, element.is(name, namespace) else { return nil }
            return element
        }
    }

    /// Whether an element with that name in that namespace is directly in it.
    package func has(_ name: String, _ namespace: String) -> Bool {
        children.contains { child in
            if case .element(let element) = child { element.is(name, namespace) } else { false }
        }
    }

    /// Puts an element behind what is in it.
    package mutating func append(_ element: Element) {
        children.append(.element(element))
    }
}

/// A name and the namespace it is of.
package struct QualifiedName: Hashable, Sendable {
    /// The local name: `success`.
    package var name: String
    /// Its namespace.
    package var namespace: String

    /// Makes one of its parts.
    package init(_ name: String, _ namespace: String) {
        self.name = name
        self.namespace = namespace
    }
}
