import Heybot
import HeybotTesting
import Testing

/// A kind of failure of a service.
enum Fault: CaseIterable, CustomTestStringConvertible {
    /// Status 429.
    case tooManyRequests
    /// Status 500.
    case serverError
    /// A page for people, with status 200.
    case htmlInsteadOfJSON
    /// No response until the deadline.
    case silence

    /// The stub client's answer.
    var answer: StubHTTPClient.Answer {
        switch self {
        case .tooManyRequests: .json(#"{"error": "slow down"}"#, status: 429)
        case .serverError: .text("Internal Server Error", status: 500)
        case .htmlInsteadOfJSON:
            StubHTTPClient.Answer(
                200, headers: ["Content-Type": "text/html"], "<!DOCTYPE html><title>Down for repair</title>".utf8)
        case .silence: .failure(.timeout)
        }
    }

    /// The robot's answer.
    func spoken(_ host: String) -> String {
        switch self {
        case .tooManyRequests: "\(host) is limiting my requests. Try again later."
        case .serverError, .htmlInsteadOfJSON: "I can't get an answer from \(host) just now."
        case .silence: "\(host) took too long to answer."
        }
    }

    var testDescription: String { "\(self)" }
}
