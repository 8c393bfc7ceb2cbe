extension Robot {
    /// Further accounts of admins aren't told.
    private static let mostTold = 50

    /// Sends a text in private to the admins who can be reached: those of the settings, and those with the role.
    ///
    /// A person with linked accounts gets it once. Nothing is kept for those who can't be reached.
    package func tellAdmins(_ text: String) async {
        // Other processes with the same brain may have changed the roles.
        try? await loadSwitchesAndRoles()
        var told: Set<User.ID> = []
        for admin in users.admins.prefix(Self.mostTold) {
            let accounts = users.accounts(of: admin)
            guard !accounts.contains(where: { told.contains($0.id) }) else { continue }
            if await tell(text, admin) { told.insert(admin.id) }
        }
    }

    /// - Returns: False if the account can't be reached.
    private func tell(_ text: String, _ account: User) async -> Bool {
        let messenger = adapters.first { $0.name == account.id.adapter } as? any PrivateMessaging
        guard let messenger, let user = await messenger.locate(account), user.id == account.id, !user.isAnonymous
        else { return false }
        do {
            try await deliver(.text(text), to: Envelope(room: messenger.privateRoom(of: user), user: user))
            return true
        } catch {
            return false
        }
    }
}
