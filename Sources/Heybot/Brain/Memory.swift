/// The name and type of one value a brain remembers.
///
/// ```swift
/// static let motto = Memory<String>("motto")
/// ```
public struct Memory<Value: Codable & Sendable>: Sendable {
    /// Unique in the brain; begin it with the script's name, as in `rules.motto`.
    public let name: String

    /// Names what is remembered.
    public init(_ name: String) {
        self.name = name
    }
}

/// The name and type of a keyed collection a brain remembers, stored entry by entry.
///
/// ```swift
/// static let scores = Memories<Int>("plusplus.scores")
/// ```
public struct Memories<Value: Codable & Sendable>: Sendable {
    /// Unique in the brain; begin it with the script's name, as in `plusplus.scores`.
    public let name: String

    /// Names what is remembered.
    public init(_ name: String) {
        self.name = name
    }
}
