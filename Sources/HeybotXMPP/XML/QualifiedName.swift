/// A name and the namespace it is of.
public struct QualifiedName: Hashable, Sendable {
    /// The local name: `success`.
    public var name: String
    /// Its namespace.
    public var namespace: String

    /// Makes one of its parts.
    public init(_ name: String, _ namespace: String) {
        self.name = name
        self.namespace = namespace
    }
}
