extension Message {
    /// A message that another one answers, as far as the robot knows it.
    public struct Reply: Codable, Hashable, Sendable {
        /// Its id; nil if it isn't known.
        public var message: Message.ID?
        /// Its text if the robot has sent it, otherwise what the reply quotes; nil if neither is known.
        ///
        /// Users can write any quote.
        public var text: String?

        /// Creates a reference to a message.
        public init(message: Message.ID? = nil, text: String? = nil) {
            (self.message, self.text) = (message, text)
        }
    }

    /// The reactions that a user has added to a message, or removed.
    public struct Reaction: Codable, Hashable, Sendable {
        /// The message, usually one that the robot has received or sent lately; on IRC users can name any id.
        public var message: Message.ID
        /// The reactions that were added, each usually an emoji.
        public var added: [String]
        /// The reactions that were removed.
        public var removed: [String]

        /// Creates a change of the reactions to a message.
        public init(to message: Message.ID, added: [String] = [], removed: [String] = []) {
            (self.message, self.added, self.removed) = (message, added, removed)
        }
    }

    /// What has changed in a user's profile.
    public struct ProfileChange: Codable, Hashable, Sendable {
        /// The name that the user had before; nil if it hasn't changed.
        public var formerName: String?
        /// The user's new real name, which anybody can choose; nil if it hasn't changed.
        public var realName: String?

        /// Creates a change of a profile.
        public init(formerName: String? = nil, realName: String? = nil) {
            (self.formerName, self.realName) = (formerName, realName)
        }
    }

    /// A file that a user has sent with a message; the robot doesn't download it, but scripts can read it.
    public struct AttachedFile: Codable, Hashable, Sendable {
        /// Its name; nil if the service doesn't tell it.
        public var name: String?
        /// Its media type, such as `image/png`, as the sender says.
        public var type: String?
        /// Its size in bytes, as the sender says.
        public var size: Int?
        /// Its URL, which anybody may have chosen.
        public var url: String
        /// The SHA-256 digest of its content in Base64, as the sender says; nil if the service doesn't tell it.
        public var sha256: String?

        /// Creates a reference to a file.
        public init(
            url: String, name: String? = nil, type: String? = nil, size: Int? = nil, sha256: String? = nil
        ) {
            (self.url, self.name, self.type, self.size, self.sha256) = (url, name, type, size, sha256)
        }
    }
}
