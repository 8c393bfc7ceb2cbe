public import Heybot
import Synchronization

/// The web as a test has it: each request is answered as the test says, and one it didn't expect is a failure.
///
/// ```swift
/// let web = StubHTTPClient()
/// web.answer("https://api.example.org/weather?city=Rome", .json(#"{"celsius": 31}"#))
/// let robot = TestRobot(web: web, Weather())
/// #expect(await robot.hears("heybot weather Rome") == [.text("31 °C")])
/// ```
///
/// A ``TestRobot`` that has it looks after every call that nothing unexpected was asked for, and fails the test otherwise.
public final class StubHTTPClient: HTTPClient {
    /// What a request is answered with.
    public struct Answer: Sendable {
        let make: @Sendable (HTTPRequest) async throws -> HTTPResponse

        /// That status, with these header fields and that body.
        public init(_ status: Int, headers: HTTPHeaders = [:], _ body: some Sequence<UInt8>) {
            let body = Array(body)
            make = { HTTPResponse(url: $0.url, status: status, headers: headers, body: body) }
        }

        private init(make: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
            self.make = make
        }

        /// A text.
        public static func text(_ text: String, status: Int = 200) -> Self {
            Self(status, headers: ["Content-Type": "text/plain; charset=utf-8"], text.utf8)
        }

        /// JSON, as its text.
        public static func json(_ text: String, status: Int = 200) -> Self {
            Self(status, headers: ["Content-Type": "application/json"], text.utf8)
        }

        /// No answer, but that trouble.
        public static func trouble(_ code: HTTPError.Code) -> Self {
            Self { throw HTTPError(code, host: $0.host) }
        }

        /// Whatever the closure makes of the request.
        public static func made(_ make: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) -> Self {
            Self(make: make)
        }
    }

    private struct State {
        var answers: [(method: HTTPMethod, url: String, answer: Answer)] = []
        var requests: [HTTPRequest] = []
        var unexpected: [String] = []
    }

    private let state = Mutex(State())

    /// A web where nothing is expected yet.
    public init() {}

    /// Expects a request once, and answers it so; several for the same URL are answered in the order of these calls.
    ///
    /// - Parameter url: The whole URL, with the query as it is sent.
    public func answer(_ method: HTTPMethod, _ url: String, _ answer: Answer) {
        state.withLock { $0.answers.append((method, url, answer)) }
    }

    /// Expects GET, and answers it so.
    public func answer(_ url: String, _ answer: Answer) {
        self.answer(.get, url, answer)
    }

    /// Every request so far, in their order.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// What was expected, and hasn't been asked for.
    public var unasked: [String] { state.withLock { $0.answers.map { "\($0.method) \($0.url)" } } }

    /// What was asked for and not expected, since this was called last.
    func takeUnexpected() -> [String] {
        state.withLock { state in
            defer { state.unexpected = [] }
            return state.unexpected
        }
    }

    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            let index = state.answers.firstIndex { $0.method == request.method && $0.url == request.url }
            guard let index else {
                state.unexpected.append("\(request.method) \(request.url)")
                return nil
            }
            return state.answers.remove(at: index).answer
        }
        guard let answer else { throw HTTPError(.unreachable, host: request.host, "no test expects this request") }
        return try await answer.make(request)
    }
}
