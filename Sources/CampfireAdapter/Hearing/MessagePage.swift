import FoundationEssentials
import Heybot

/// The newest messages of a room, as a bot may read them.
///
/// Campfire has had two forms: an object with `messages` and `pagination`, and an array of messages with a header Link.
struct MessagePage: Sendable {
    /// One of them.
    struct Entry: Decodable, Hashable, Sendable {
        struct Body: Decodable, Hashable {
            let plain: String?
            let plainText: String?
        }
        struct Creator: Decodable, Hashable {
            let id: Identifier
            let name: String
            let isBot: Bool?
            let role: String?
        }

        let id: Identifier
        let body: Body
        let creator: Creator

        var text: String { body.plain ?? body.plainText ?? "" }
        var isFromBot: Bool { creator.isBot ?? (creator.role == "bot") }
    }

    private struct Whole: Decodable {
        struct Room: Decodable { let name: String? }
        struct Pagination: Decodable { let hasMore: Bool? }
        let room: Room?
        let messages: [Entry]
        let pagination: Pagination?
    }

    /// In no particular order.
    let entries: [Entry]
    /// What the room is called, if that is told.
    let roomName: String?
    /// Whether the room is one of two people, which have no name; false if nothing is told of the room.
    let isDirect: Bool
    /// Whether there are older ones.
    let hasMore: Bool

    /// - Throws: `HTTPError` if it is neither form.
    init(_ response: HTTPResponse) throws(HTTPError) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        if let entries = response.status == 204 ? [] : try? response.json([Entry].self, decoder: decoder) {
            self.entries = entries
            roomName = nil
            isDirect = false
            hasMore = response.headers["Link"]?.contains("rel=\"next\"") ?? false
        } else {
            let whole = try response.json(Whole.self, decoder: decoder)
            entries = whole.messages
            roomName = whole.room?.name
            isDirect = whole.room.map { $0.name == nil } ?? false
            hasMore = whole.pagination?.hasMore ?? false
        }
    }
}
