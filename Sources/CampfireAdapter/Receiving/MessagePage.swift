import FoundationEssentials
import Heybot

/// A page of a room's newest messages.
///
/// Campfire has used two formats: an object with `messages` and `pagination`, and an array of messages with a Link header.
struct MessagePage: Sendable {
    /// A message.
    struct Entry: Decodable, Hashable, Sendable {
        struct Body: Decodable, Hashable {
            let plain: String?
            let plainText: String?
        }
        struct Creator: Decodable, Hashable {
            let id: CampfireID
            let name: String
            let isBot: Bool?
            let role: String?
        }

        let id: CampfireID
        let body: Body
        let creator: Creator

        var text: String { body.plain ?? body.plainText ?? "" }
        var isFromBot: Bool { creator.isBot ?? (creator.role == "bot") }
    }

    private struct PaginatedMessages: Decodable {
        struct Room: Decodable { let name: String? }
        struct Pagination: Decodable { let hasMore: Bool? }
        let room: Room?
        let messages: [Entry]
        let pagination: Pagination?
    }

    /// Not sorted.
    let entries: [Entry]
    /// The room's name, if the page contains it.
    let roomName: String?
    /// Whether it is a direct room, which has no name; false if the page doesn't describe the room.
    let isDirect: Bool
    /// Whether there are older messages.
    let hasMore: Bool

    /// Parses a page in either format.
    ///
    /// - Throws: `HTTPError` if it is in neither.
    init(_ response: HTTPResponse) throws(HTTPError) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        if let entries = response.status == 204 ? [] : try? response.json([Entry].self, decoder: decoder) {
            self.entries = entries
            roomName = nil
            isDirect = false
            hasMore = response.headers["Link"]?.contains("rel=\"next\"") ?? false
        } else {
            let object = try response.json(PaginatedMessages.self, decoder: decoder)
            entries = object.messages
            roomName = object.room?.name
            isDirect = object.room.map { $0.name == nil } ?? false
            hasMore = object.pagination?.hasMore ?? false
        }
    }
}
