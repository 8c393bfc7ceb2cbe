import Testing

@testable import CurlClient

/// Proxies out of an environment.
struct ProxiesTests {
    @Test(arguments: [
        ([:], Proxies()),
        (["http_proxy": "a"], Proxies(http: "a")),
        (["HTTP_PROXY": "a"], Proxies()),
        (["https_proxy": "a", "HTTPS_PROXY": "b"], Proxies(https: "a")),
        (["HTTPS_PROXY": "b"], Proxies(https: "b")),
        (["https_proxy": "", "HTTPS_PROXY": "b"], Proxies(https: "b")),
        (["all_proxy": "a", "ALL_PROXY": "b"], Proxies(http: "a", https: "a")),
        (["ALL_PROXY": "b", "http_proxy": "a"], Proxies(http: "a", https: "b")),
        (["ALL_PROXY": "b", "HTTP_PROXY": "a"], Proxies(http: "b", https: "b")),
        (["no_proxy": "a", "NO_PROXY": "b"], Proxies(exceptions: "a")),
        (["NO_PROXY": "b", "no_proxy": ""], Proxies(exceptions: "b")),
        (["http_proxy": "", "https_proxy": "", "all_proxy": ""], Proxies())
    ])
    func `an environment names them as curl reads it`(_ environment: [String: String], _ proxies: Proxies) {
        #expect(Proxies(environment: environment) == proxies)
    }

    @Test func `each scheme has its own`() {
        let proxies = Proxies(http: "a", https: "b")
        #expect(proxies.proxy(for: "http") == "a")
        #expect(proxies.proxy(for: "https") == "b")
    }
}
