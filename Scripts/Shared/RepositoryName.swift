import Heybot

extension GitHub {
    /// The name of a repository, `owner/name`, or of all of an owner's, `owner/*`; in lower case, since GitHub ignores case.
    struct RepositoryName: Hashable, Sendable, CustomStringConvertible {
        private let owner: String
        /// The repository's name; nil for all of the owner's.
        private let name: String?

        var description: String { "\(owner)/\(name ?? "*")" }

        /// The name for all repositories of the owner.
        var ofOwner: Self { Self(owner: owner, name: nil) }

        private init(owner: String, name: String?) {
            self.owner = owner
            self.name = name
        }

        /// Parses a name by GitHub's rules.
        ///
        /// - Throws: ``Refusal`` if the name is invalid.
        init(typed text: some StringProtocol) throws(Refusal) {
            let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw Refusal("Write owner/name for a repository, or owner/* for all of an owner's repositories.")
            }
            guard Self.canBeOwner(parts[0]) else { throw Refusal("GitHub has no owner named \(parts[0]).") }
            guard parts[1] == "*" || Self.canBeName(parts[1]) else {
                throw Refusal("GitHub has no repository named \(parts[1]).")
            }
            self.init(owner: String(parts[0]), name: parts[1] == "*" ? nil : String(parts[1]))
        }

        /// Whether a text is a valid owner: letters and digits with single hyphens between them.
        ///
        /// The name of an enterprise-managed user ends with `_` and a short code.
        private static func canBeOwner(_ text: Substring) -> Bool {
            text.utf8.count <= 39 && text.wholeMatch(of: /[a-z0-9]+(?:-[a-z0-9]+)*(?:_[a-z0-9]+)?/) != nil
        }

        private static func canBeName(_ text: Substring) -> Bool {
            text.utf8.count <= 100 && text.wholeMatch(of: /[a-z0-9._-]+/) != nil && text != "." && text != ".."
                && !text.hasSuffix(".git") && !text.hasSuffix(".wiki")
        }
    }
}
