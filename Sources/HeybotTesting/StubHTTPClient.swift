public import Heybot
import Synchronization

/// An HTTP client that returns the responses set by a test.
///
/// An unexpected request is a failure.
///
/// ```swift
/// let web = StubHTTPClient()
/// web.answer("https://api.example.org/weather?city=Rome", .json(#"{"celsius": 31}"#))
/// let robot = TestRobot(web: web, Weather())
/// #expect(await robot.hears("heybot weather Rome") == [.text("31 °C")])
/// ```
///
/// A ``TestRobot`` that uses it records an issue for each unexpected request.
public final class StubHTTPClient: HTTPClient {
    /// The response to a request.
    public struct Answer: Sendable {
        let make: @Sendable (HTTPRequest) async throws -> HTTPResponse

        /// Creates a response.
        public init(_ status: Int, headers: HTTPHeaders = [:], _ body: some Sequence<UInt8>) {
            let body = Array(body)
            make = { HTTPResponse(url: $0.url, status: status, headers: headers, body: body) }
        }

        private init(make: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
            self.make = make
        }

        /// A plain text.
        public static func text(_ text: String, status: Int = 200) -> Self {
            Self(status, headers: ["Content-Type": "text/plain; charset=utf-8"], text.utf8)
        }

        /// JSON, given as text.
        public static func json(_ text: String, status: Int = 200) -> Self {
            Self(status, headers: ["Content-Type": "application/json"], text.utf8)
        }

        /// No response, but an error.
        public static func failure(_ code: HTTPError.Code) -> Self {
            Self { throw HTTPError(code, host: $0.host) }
        }

        /// The response that a closure returns for the request.
        public static func custom(_ make: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) -> Self {
            Self(make: make)
        }
    }

    private struct State {
        var answers: [(method: HTTPMethod, url: String, answer: Answer)] = []
        var otherAnswer: Answer?
        var requests: [HTTPRequest] = []
        var unexpected: [String] = []
    }

    private let state = Mutex(State())

    /// Creates a client that expects no requests.
    public init() {}

    /// Expects a request once, and sets its response.
    ///
    /// Several responses for one URL are used in the order of the calls.
    ///
    /// - Parameter url: The complete URL, with the query as it is sent.
    public func answer(_ method: HTTPMethod, _ url: String, _ answer: Answer) {
        state.withLock { $0.answers.append((method, url, answer)) }
    }

    /// Expects a GET request once, and sets its response.
    public func answer(_ url: String, _ answer: Answer) {
        self.answer(.get, url, answer)
    }

    /// Sets the response to every request that has no response of its own, for example that of a fake service.
    public func answerOthers(_ answer: Answer) {
        state.withLock { $0.otherAnswer = answer }
    }

    /// All requests so far, in order.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The expected requests that haven't been made.
    public var unconsumed: [String] { state.withLock { $0.answers.map { "\($0.method) \($0.url)" } } }

    /// Removes and returns the unexpected requests since the last call.
    func removeUnexpected() -> [String] {
        state.withLock { state in
            defer { state.unexpected = [] }
            return state.unexpected
        }
    }

    /// Returns the response that the test has set for a request.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            let index = state.answers.firstIndex { $0.method == request.method && $0.url == request.url }
            guard let index else {
                if let answer = state.otherAnswer { return answer }
                state.unexpected.append("\(request.method) \(request.url)")
                return nil
            }
            return state.answers.remove(at: index).answer
        }
        guard let answer else {
            throw HTTPError(.unreachable, host: request.host, "the test has no response for this request")
        }
        return try await answer.make(request)
    }
}
