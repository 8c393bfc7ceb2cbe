/// A stored value doesn't match the key's type, or a value can't be stored.
public enum BrainCodingError: Error, Hashable, CustomStringConvertible {
    /// The stored value isn't of the expected type. It was left unchanged.
    case unreadable(StoreKey, expected: String)
    /// The value can't be encoded as JSON, such as a number that isn't finite.
    case unwritable(StoreKey, type: String)

    public var description: String {
        switch self {
        case .unreadable(let key, let expected):
            """
            the brain's value at \(key) isn't of type \(expected) and was left unchanged: \
            fix it with heybot brain set, or delete it
            """
        case .unwritable(let key, let type):
            "the new value for \(key) can't be encoded as JSON (type \(type)); the stored value was left unchanged"
        }
    }
}
