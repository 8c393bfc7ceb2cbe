import CurlClient

extension SettingValues {
    /// The settings of the scripts' HTTP client.
    struct HTTP: Sendable {
        var client = CurlHTTPClient.Configuration()
    }
}

extension SettingValues.HTTP {
    /// The client's configuration, with the proxies from the environment's usual variables.
    func configuration(version: String, environment: [String: String]) -> CurlHTTPClient.Configuration {
        var configuration = client
        configuration.userAgent = "Heybot/\(version)"
        configuration.proxies = ProxySettings(environment: environment)
        return configuration
    }
}

extension Setting {
    /// The settings of the scripts' HTTP client.
    static let httpClient: [Setting] = [
        Setting(
            "HTTP_CA_FILE", key: "http.caFile", \.http.client.authorities, .path,
            "CA certificates (PEM) that scripts' web requests trust instead of the system's", isAdvanced: true),
        Setting(
            "HTTP_SSRF_GUARD", key: "http.ssrfGuard", formerly: ("HTTP_GUARD", "http.guard"),
            \.http.client.blocksPrivateAddresses, .flag,
            "whether URLs that users post may reach only public addresses, not this machine and its network",
            isAdvanced: true)
    ]
}
