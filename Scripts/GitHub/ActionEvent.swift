extension GitHub {
    /// An event with an action.
    protocol ActionEvent: Decodable {
        /// The actions that are posted; others are ignored.
        associatedtype Action: RawRepresentable<String>
    }

    /// The action of an event, without the rest.
    struct ActionPayload: Decodable {
        let action: String
    }
}
