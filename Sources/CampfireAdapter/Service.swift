import Heybot

/// What a Campfire can be asked, and what its answers mean.
struct Service: Sendable {
    let configuration: CampfireAdapter.Configuration
    let http: any HTTPClient

    /// The bot's own id, which its key begins with.
    var botID: String { String(configuration.key.prefix { $0 != "-" }) }

    /// Says something in a room; returns the message's id if the Campfire says it.
    ///
    /// - Throws: ``CampfireError``, or `CancellationError`.
    func post(_ body: HTTPBody, in room: String) async throws -> Identifier? {
        let location = try await ask(.post, room, body).headers["Location"]
        return (location?.firstMatch(of: /\/messages\/([0-9]+)$/)?.1).flatMap { Identifier(String($0)) }
    }

    /// The newest messages of a room, or the newest of those before one.
    ///
    /// - Throws: ``CampfireError``, or `CancellationError`.
    func messages(in room: String, before: Identifier? = nil) async throws -> MessagePage {
        let response = try await ask(.get, room, query: before.map { "?before=\($0.text)" } ?? "")
        do { return try MessagePage(response) } catch { throw CampfireError.trouble(error) }
    }

    private func ask(
        _ method: HTTPMethod, _ room: String, _ body: HTTPBody? = nil, query: String = ""
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(
            method, "\(configuration.url)/rooms/\(percentEncoded(room))/\(configuration.key)/messages\(query)",
            body: body)
        request.deadline = .seconds(20)
        request.redirects = 0
        let response = try await answer(to: request)
        switch response.status {
        case 200..<300: return response
        case 300..<400, 401: throw CampfireError.wrongKey(host: request.host)
        case 404: throw CampfireError.unknownRoom(room)
        default:
            // A date instead of seconds (RFC 9110 section 10.2.3) counts as nothing.
            let wait = response.headers["Retry-After"].flatMap { UInt32($0) }.map { Duration.seconds(Int64($0)) }
            throw CampfireError.refused(host: request.host, status: response.status, retryAfter: wait)
        }
    }

    private func answer(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await http.send(request)
        } catch let error as HTTPError {
            // It leads to where people log in.
            if error.code == .redirects { throw CampfireError.wrongKey(host: request.host) }
            throw CampfireError.trouble(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            // Its own words could hold the URL.
            throw CampfireError.trouble(HTTPError(.broken, host: request.host))
        }
    }
}

/// What tells rooms, people and messages of a Campfire apart: a number as a rule, in JSON also as text.
struct Identifier: Hashable, Sendable {
    let text: String
    var isNumber: Bool { text.utf8.allSatisfy { 48...57 ~= $0 } }

    /// Takes 1 to 64 letters, digits, hyphens and underscores; nil for all else, which has no place in a path.
    init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else { return nil }
        self.text = text
    }
}

extension Identifier: Comparable {
    /// By number: newer messages have higher ones.
    static func < (one: Self, other: Self) -> Bool {
        (one.text.utf8.count, one.text) < (other.text.utf8.count, other.text)
    }
}

extension Identifier: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try (try? container.decode(Int64.self)).map { "\($0)" } ?? container.decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this can't be an id")
        }
        self = identifier
    }
}
