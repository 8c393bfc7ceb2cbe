import CCurl
import Foundation
import Heybot
import Testing

@testable import CurlClient

/// The texts for libcurl's error codes.
struct CurlErrorTests {
    private func text(_ result: CURLcode, _ change: (inout CurlError) -> Void = { _ in }) -> String {
        var problem = CurlError(result)
        change(&problem)
        return problem.error("example.org").description
    }

    @Test func `each error has a text of ours`() {
        #expect(text(CURLE_COULDNT_RESOLVE_HOST) == "example.org can't be reached: its name can't be resolved")
        #expect(
            text(CURLE_COULDNT_CONNECT) { $0.systemError = ECONNREFUSED }
                == "example.org can't be reached: it refuses the connection")
        #expect(
            text(CURLE_COULDNT_CONNECT) { $0.systemError = EHOSTUNREACH }
                == "example.org can't be reached: there is no route to it")
        #expect(text(CURLE_COULDNT_CONNECT) == "example.org can't be reached: it doesn't accept the connection")
        #expect(
            text(CURLE_OPERATION_TIMEDOUT) == "example.org can't be reached: the connection timed out")
        #expect(
            text(CURLE_GOT_NOTHING) == "example.org sent no valid response: it closed the connection without a response"
        )
        #expect(
            text(CURLE_RECV_ERROR) { $0.proxyStatus = 403 }
                == "example.org can't be reached: the proxy answered with status 403")
        #expect(text(CURLcode(rawValue: 99)) == "example.org sent no valid response: libcurl error 99")
    }

    @Test(arguments: [
        (0, "is for another name"), (1, "is for another name"), (9, "isn't valid yet: check this machine's clock"),
        (10, "has expired"),
        (18, "is self-signed"), (20, "is signed by an unknown authority"), (23, "is revoked"),
        (77, "isn't valid (OpenSSL error 77)")
    ])
    func `the problem with a certificate is named`(_ verification: Int, _ words: String) {
        #expect(
            text(CURLE_PEER_FAILED_VERIFICATION) { $0.verification = verification }
                == "example.org can't be trusted: its certificate \(words)")
    }

    @Test func `durations are rounded up to milliseconds, within libcurl's range`() {
        #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
        #expect(Duration.nanoseconds(1).milliseconds == 1)
        #expect(Duration.zero.milliseconds == 0)
        #expect(Duration.seconds(-5).milliseconds == 0)
        #expect(Duration.seconds(Int64.max).milliseconds == 2_000_000_000)
    }
}
