import Testing

@testable import CurlClient

/// ProxySettings out of an environment.
struct ProxySettingsTests {
    @Test(arguments: [
        ([:], ProxySettings()),
        (["http_proxy": "a"], ProxySettings(http: "a")),
        (["HTTP_PROXY": "a"], ProxySettings()),
        (["https_proxy": "a", "HTTPS_PROXY": "b"], ProxySettings(https: "a")),
        (["HTTPS_PROXY": "b"], ProxySettings(https: "b")),
        (["https_proxy": "", "HTTPS_PROXY": "b"], ProxySettings(https: "b")),
        (["all_proxy": "a", "ALL_PROXY": "b"], ProxySettings(http: "a", https: "a")),
        (["ALL_PROXY": "b", "http_proxy": "a"], ProxySettings(http: "a", https: "b")),
        (["ALL_PROXY": "b", "HTTP_PROXY": "a"], ProxySettings(http: "b", https: "b")),
        (["no_proxy": "a", "NO_PROXY": "b"], ProxySettings(exceptions: "a")),
        (["NO_PROXY": "b", "no_proxy": ""], ProxySettings(exceptions: "b")),
        (["http_proxy": "", "https_proxy": "", "all_proxy": ""], ProxySettings())
    ])
    func `an environment names them as curl reads it`(_ environment: [String: String], _ proxies: ProxySettings) {
        #expect(ProxySettings(environment: environment) == proxies)
    }

    @Test func `each scheme has its own proxy`() {
        let proxies = ProxySettings(http: "a", https: "b")
        #expect(proxies.proxy(for: "http") == "a")
        #expect(proxies.proxy(for: "https") == "b")
    }
}
