public import Heybot
import HeybotXMPP

extension XMPPAdapter: UserRecognition {
    /// The id of a person named by address, as `ada@example.org`.
    public func userID(named name: String) throws -> String {
        let address: JID
        do { address = try JID(name) } catch { throw AdapterError(.badName, "\(error)") }
        guard address.local != nil else { throw AdapterError(.badName, "it is a server's address, not a person's") }
        guard address.resource == nil else {
            throw AdapterError(
                .badName, "it names one of their devices, or somebody in a room: write \(address.bare)")
        }
        return address.description
    }
}
