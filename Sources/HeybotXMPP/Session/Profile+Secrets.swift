extension Profile {
    /// An element as it may be logged: without what lets us, or anybody, in.
    package func loggable(_ element: Element) -> String {
        guard element.namespace == Namespace.sasl else { return Self.withoutPasswords(element).description }
        var element = element
        if element.name != "mechanisms", !element.children.isEmpty, element.name != "failure" {
            element.children = [.text("…")]
        }
        return element.description
    }

    /// Those of rooms stand in elements or, in invitations, in attributes of that name.
    private static func withoutPasswords(_ element: Element) -> Element {
        var element = element
        if element["password"] != nil { element["password"] = "…" }
        if element.name == "password" {
            element.children = [.text("…")]
            return element
        }
        for index in element.children.indices {
            guard case .element(let child) = element.children[index] else { continue }
            element.children[index] = .element(withoutPasswords(child))
        }
        return element
    }
}
