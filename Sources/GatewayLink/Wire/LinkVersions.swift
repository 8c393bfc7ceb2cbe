/// The versions of the link that a process speaks: a gateway stays while its workers are replaced by newer programs.
package struct LinkVersions: Codable, Hashable, Sendable {
    /// The newest version.
    package var newest: Int
    /// The oldest version; at most one before the newest.
    package var oldest: Int

    /// The versions of this program.
    package static let own = LinkVersions(newest: 1, oldest: 1)

    /// Creates a range of versions.
    package init(newest: Int, oldest: Int) { (self.newest, self.oldest) = (newest, oldest) }

    /// The version that two processes speak with each other; nil if there is none.
    package func common(with other: LinkVersions) -> Int? {
        let version = min(newest, other.newest)
        return version >= max(oldest, other.oldest) ? version : nil
    }
}
