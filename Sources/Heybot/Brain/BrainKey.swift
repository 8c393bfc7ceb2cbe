/// The name and type of one value in the brain.
///
/// ```swift
/// static let motto = BrainKey<String>("motto")
/// ```
public struct BrainKey<Value: Codable & Sendable>: Sendable {
    /// The name, unique in the brain; begin it with the script's name, as in `rules.motto`.
    public let name: String

    /// Creates a key with a name.
    public init(_ name: String) {
        self.name = name
    }
}

/// The name and type of a collection in the brain, stored entry by entry.
///
/// ```swift
/// static let scores = BrainCollection<Int>("plusplus.scores")
/// ```
public struct BrainCollection<Value: Codable & Sendable>: Sendable {
    /// The name, unique in the brain; begin it with the script's name, as in `plusplus.scores`.
    public let name: String

    /// Creates a key with a name.
    public init(_ name: String) {
        self.name = name
    }
}
