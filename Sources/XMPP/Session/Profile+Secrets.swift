extension Profile {
    /// An element as it may be logged: without what lets us in.
    public func loggable(_ element: Element) -> String {
        var element = element
        switch (element.name, element.namespace) {
        case ("auth", Namespace.sasl), ("response", Namespace.sasl), ("challenge", Namespace.sasl),
            ("success", Namespace.sasl):
            element.children = element.children.isEmpty ? [] : [.text("…")]
        case ("presence", _):
            for index in element.children.indices {
                guard case .element(var child) = element.children[index], child.is("x", Namespace.muc) else { continue }
                child.children = child.children.map { node in
                    guard case .element(var inner) = node, inner.name == "password" else { return node }
                    inner.children = [.text("…")]
                    return .element(inner)
                }
                element.children[index] = .element(child)
            }
        default: break
        }
        return element.description
    }
}
