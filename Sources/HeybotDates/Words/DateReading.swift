/// What a text says about a time, and the rest of the text.
package struct DateReading: Hashable, Sendable {
    /// A time, or how often something recurs.
    package enum Meaning: Hashable, Sendable {
        /// A time in seconds since 1970.
        case once(Int)
        /// A recurrence, and the first time.
        case repeatedly(Recurrence, first: Int)

        /// The time, or the first time, in seconds since 1970.
        package var first: Int {
            switch self {
            case .once(let time): time
            case .repeatedly(_, let first): first
            }
        }
    }

    /// What the words mean.
    package let meaning: Meaning
    /// The words that name the time.
    package let words: String
    /// The text without these words, with no spaces at its ends.
    package let rest: String
}
