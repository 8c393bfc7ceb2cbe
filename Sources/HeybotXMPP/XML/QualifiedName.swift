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
