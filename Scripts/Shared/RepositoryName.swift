import Heybot

extension GitHub {
    /// A repository as somebody types it, `owner/name`, or all of an owner's, `owner/*`; in lower case, as GitHub tells
    /// none apart by case.
    struct RepositoryName: Hashable, Sendable, CustomStringConvertible {
        private let owner: String
        /// Nil if all are meant.
        private let name: String?

        var description: String { "\(owner)/\(name ?? "*")" }

        /// All that are that owner's.
        var ofOwner: Self { Self(owner: owner, name: nil) }

        private init(owner: String, name: String?) {
            self.owner = owner
            self.name = name
        }

        /// Reads what somebody typed, by GitHub's rules for names.
        ///
        /// - Throws: ``Refusal`` if there can be no such repository.
        init(typed text: some StringProtocol) throws(Refusal) {
            let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw Refusal("Say which repository as owner/name, or owner/* for all of an owner's.")
            }
            guard Self.canBeOwner(parts[0]) else { throw Refusal("GitHub has no owner named \(parts[0]).") }
            guard parts[1] == "*" || Self.canBeName(parts[1]) else {
                throw Refusal("GitHub has no repository named \(parts[1]).")
            }
            self.init(owner: String(parts[0]), name: parts[1] == "*" ? nil : String(parts[1]))
        }

        /// Letters and digits with single hyphens between; what an enterprise manages has its short code behind `_`.
        private static func canBeOwner(_ text: Substring) -> Bool {
            text.utf8.count <= 39 && text.wholeMatch(of: /[a-z0-9]+(?:-[a-z0-9]+)*(?:_[a-z0-9]+)?/) != nil
        }

        private static func canBeName(_ text: Substring) -> Bool {
            text.utf8.count <= 100 && text.wholeMatch(of: /[a-z0-9._-]+/) != nil && text != "." && text != ".."
                && !text.hasSuffix(".git") && !text.hasSuffix(".wiki")
        }
    }
}
