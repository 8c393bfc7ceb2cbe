import CCurl
import Foundation
import Heybot
import Testing

@testable import CurlClient

/// What libcurl's numbers mean.
struct CurlProblemTests {
    private func text(_ result: CURLcode, _ change: (inout CurlProblem) -> Void = { _ in }) -> String {
        var problem = CurlProblem(result)
        change(&problem)
        return problem.error("example.org").description
    }

    @Test func `each is told in words of ours`() {
        #expect(text(CURLE_COULDNT_RESOLVE_HOST) == "example.org can't be reached: its name isn't known")
        #expect(
            text(CURLE_COULDNT_CONNECT) { $0.systemError = ECONNREFUSED }
                == "example.org can't be reached: it refuses the connection")
        #expect(
            text(CURLE_COULDNT_CONNECT) { $0.systemError = EHOSTUNREACH }
                == "example.org can't be reached: no way leads there")
        #expect(text(CURLE_COULDNT_CONNECT) == "example.org can't be reached: nobody takes the connection")
        #expect(
            text(CURLE_OPERATION_TIMEDOUT) == "example.org can't be reached: it takes too long to connect")
        #expect(text(CURLE_GOT_NOTHING) == "example.org broke off: it ended the connection without an answer")
        #expect(
            text(CURLE_RECV_ERROR) { $0.proxyStatus = 403 }
                == "example.org can't be reached: its proxy answers with status 403")
        #expect(text(CURLcode(rawValue: 99)) == "example.org broke off: libcurl's error 99")
    }

    @Test(arguments: [
        (0, "is for another name"), (1, "is for another name"), (9, "isn't valid yet: check this machine's clock"),
        (10, "has expired"),
        (18, "is signed by itself"), (20, "is signed by nobody we know"), (23, "is revoked"),
        (77, "isn't valid (OpenSSL's reason 77)")
    ])
    func `a certificate's fault is named`(_ verification: Int, _ words: String) {
        #expect(
            text(CURLE_PEER_FAILED_VERIFICATION) { $0.verification = verification }
                == "example.org can't be trusted: its certificate \(words)")
    }

    @Test func `durations are rounded up to milliseconds, within what libcurl counts`() {
        #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
        #expect(Duration.nanoseconds(1).milliseconds == 1)
        #expect(Duration.zero.milliseconds == 0)
        #expect(Duration.seconds(-5).milliseconds == 0)
        #expect(Duration.seconds(Int64.max).milliseconds == 2_000_000_000)
    }
}
