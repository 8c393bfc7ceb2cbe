import Foundation
import Testing

@testable import Heybot

/// The errors for a missing or unexpected response.
struct HTTPErrorTests {
    private struct Weather: Decodable, Equatable {
        struct Day: Decodable, Equatable {
            var degrees: Int
            var words: [String]
            var isWet: Bool?
        }
        var days: [Day]
    }

    private func problem<Value: Decodable>(_ text: String, _ type: Value.Type) -> String {
        let response = HTTPResponse(url: "http://user:secret@h/secret?secret", status: 200, body: Array(text.utf8))
        do throws(HTTPError) {
            _ = try response.json(type)
            return ""
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        (#"{"days": [{"degrees": 1, "words": []}, {"words": []}]}"#, "days[1].degrees is missing"),
        (#"{"days": [{"degrees": "secret", "words": []}]}"#, "days[0].degrees isn't a number"),
        (#"{"days": [{"degrees": 1.5, "words": []}]}"#, "it isn't valid JSON"),
        (#"{"days": [{"degrees": null, "words": []}]}"#, "days[0].degrees is null"),
        (#"{"days": [{"degrees": 1, "words": ["a", 2]}]}"#, "days[0].words[1] isn't a string"),
        (#"{"days": [{"degrees": 1, "words": "secret"}]}"#, "days[0].words isn't an array"),
        (#"{"days": [{"degrees": 1, "words": [], "isWet": 1}]}"#, "days[0].isWet isn't true or false"),
        (#"{"days": [1]}"#, "days[0] isn't an object"), (#"{}"#, "days is missing"), (#"[]"#, "it isn't an object"),
        ("", "it isn't valid JSON"), ("<html>secret</html>", "it isn't valid JSON"),
        (#"{"days": [secret]}"#, "it isn't valid JSON")
    ])
    func `unexpected JSON is reported with its location`(_ text: String, _ words: String) {
        let problem = problem(text, Weather.self)
        #expect(problem.hasPrefix("h sent an unexpected response: ") && problem.hasSuffix(words))
        #expect(!problem.contains("secret"))
    }

    @Test func `names that the text itself gives aren't repeated`() {
        let problem = problem(#"{"secret\nname": {"a": "secret"}}"#, [String: [String: Int]].self)
        #expect(problem == "h sent an unexpected response: ….… isn't a number")
    }

    @Test func `a response without success throws`() throws {
        let response = HTTPResponse(url: "https://user:secret@h:1/secret", status: 404, body: Array("[1]".utf8))
        #expect(!response.isSuccess)
        #expect(throws: HTTPError(.status(404), host: "h")) { try response.checked() }
        #expect(throws: HTTPError(.status(404), host: "h")) { try response.json([Int].self) }
        let good = HTTPResponse(url: "https://h/", status: 299, body: Array("[1]".utf8))
        #expect(try good.checked() == good)
        #expect(try good.json() == [1])
    }

    @Test(arguments: [
        (
            HTTPError.Code.badURL, "h can't be requested: the URL isn't a valid http or https URL",
            "That isn't a valid web address."
        ),
        (.unreachable, "h can't be reached", "I can't get an answer from h just now."),
        (.notPublic, "h isn't a public web address", "h isn't a public web address, so I won't open it."),
        (.untrusted, "h can't be trusted", "I can't get an answer from h just now."),
        (.timeout, "h took too long to answer", "h took too long to answer."),
        (.tooLong, "h sent a response that is too long", "I can't get an answer from h just now."),
        (.redirects, "h sent a redirect that can't be followed", "I can't get an answer from h just now."),
        (.broken, "h sent no valid response", "I can't get an answer from h just now."),
        (.status(404), "h answered with status 404", "I found nothing at h."),
        (.status(429), "h answered with status 429", "h is limiting my requests. Try again later."),
        (.status(500), "h answered with status 500", "I can't get an answer from h just now."),
        (.unreadable, "h sent an unexpected response", "I can't get an answer from h just now."),
        (.noClient, "h can't be requested: this robot has no HTTP client", "I can't get an answer from h just now.")
    ])
    func `each error has a text for the log and one for the user`(_ code: HTTPError.Code, _ log: String, _ room: String)
    {
        #expect(HTTPError(code, host: "h").description == log)
        #expect(HTTPError(code, host: "h", "why").description == "\(log): why")
        #expect(HTTPError(code, host: "h", "why").userMessage == room)
        #expect(HTTPError(code, host: "h").isFailure == ![.badURL, .notPublic, .status(404)].contains(code))
    }

    @Test func `a robot without an HTTP client reports that`() async {
        await #expect(throws: HTTPError(.noClient, host: "h")) { try await MissingHTTPClient().get("http://u:s@h/p") }
    }
}
