import Heybot

extension Robot {
    /// Whether the robot knows a user, so that others may have it send them direct messages.
    ///
    /// It knows the users who are in its rooms, or were seen there; those who have used it since it started; those who have a role;
    /// and those who have linked accounts.
    func knows(_ user: User) async throws -> Bool {
        let adapter = adapters.first { $0.name == user.id.adapter }
        if let listing = adapter as? any MemberListing, await listing.isPresent(user.id) { return true }
        let lobby = Room(id: Room.ID(adapter: user.id.adapter, value: ""))
        let known = await users(in: lobby)
        if known.contains(where: { $0.id == user.id }) { return true }
        if try await SightingRecords(brain: brain).contains(user.id) { return true }
        return try await PersonalAccounts(brain: brain).all(of: user).count > 1
    }
}
