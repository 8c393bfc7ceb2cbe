import Heybot

/// A client for Campfire's bot API.
struct CampfireAPI: Sendable {
    let configuration: CampfireAdapter.Configuration
    let http: any HTTPClient

    /// The bot's user id, which its key begins with.
    var botID: String { String(configuration.key.prefix { $0 != "-" }) }

    /// Posts to a room.
    ///
    /// - Returns: The message's id, if the Campfire reports it.
    /// - Throws: ``CampfireError``, or `CancellationError`.
    func post(_ body: HTTPRequestBody, in room: String) async throws -> CampfireID? {
        let location = try await ask(.post, room, body).headers["Location"]
        return (location?.firstMatch(of: /\/messages\/([0-9]+)$/)?.1).flatMap { CampfireID(String($0)) }
    }

    /// Returns the newest messages of a room, or the newest of those before one.
    ///
    /// - Throws: ``CampfireError``, or `CancellationError`.
    func messages(in room: String, before: CampfireID? = nil) async throws -> MessagePage {
        let response = try await ask(.get, room, query: before.map { "?before=\($0.text)" } ?? "")
        do { return try MessagePage(response) } catch { throw CampfireError.requestFailed(error) }
    }

    private func ask(
        _ method: HTTPMethod, _ room: String, _ body: HTTPRequestBody? = nil, query: String = ""
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
            // A date instead of seconds (RFC 9110 section 10.2.3) is ignored.
            let wait = response.headers["Retry-After"].flatMap { UInt32($0) }.map { Duration.seconds(Int64($0)) }
            throw CampfireError.refused(host: request.host, status: response.status, retryAfter: wait)
        }
    }

    private func answer(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await http.send(request)
        } catch let error as HTTPError {
            // The redirect leads to the login page.
            if error.code == .redirects { throw CampfireError.wrongKey(host: request.host) }
            throw CampfireError.requestFailed(error)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The error's own description may contain the URL, which contains the key.
            throw CampfireError.requestFailed(HTTPError(.broken, host: request.host))
        }
    }
}

/// An id of a room, user or message: usually a number, which JSON may encode as text.
struct CampfireID: Hashable, Sendable {
    let text: String
    var isNumber: Bool { text.utf8.allSatisfy { 48...57 ~= $0 } }

    /// Creates an id of 1 to 64 letters, digits, hyphens and underscores; nil for any other text, which must not become part of a
    /// path.
    init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else { return nil }
        self.text = text
    }
}

extension CampfireID: Comparable {
    /// Compares by number: newer messages have higher ids.
    static func < (one: Self, other: Self) -> Bool {
        (one.text.utf8.count, one.text) < (other.text.utf8.count, other.text)
    }
}

extension CampfireID: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try (try? container.decode(Int64.self)).map { "\($0)" } ?? container.decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "that isn't a valid id")
        }
        self = identifier
    }
}
