extension GitHub {
    /// An event that has an action, of which rooms are told some.
    protocol ActedEvent: Decodable {
        /// The actions that rooms are told of.
        associatedtype Action: RawRepresentable<String>
    }

    /// Whatever action an event has, and nothing else of it.
    struct AnyAction: Decodable {
        let action: String
    }
}
