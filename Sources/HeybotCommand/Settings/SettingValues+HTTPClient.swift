import CurlClient

extension SettingValues {
    /// The settings of the scripts' HTTP client.
    struct HTTPClient: Sendable {
        var curl = CurlHTTPClient.Configuration()
    }
}

extension SettingValues.HTTPClient {
    /// The client's configuration, with the proxies from the environment's usual variables.
    func configuration(version: String, environment: [String: String]) -> CurlHTTPClient.Configuration {
        var configuration = curl
        configuration.userAgent = "Heybot/\(version)"
        configuration.proxies = ProxySettings(environment: environment)
        return configuration
    }
}

extension Setting {
    /// The settings of the scripts' HTTP client.
    static let httpClient: [Setting] = [
        Setting(
            "HTTP_CA_FILE", key: "http.caFile", \.httpClient.curl.authorities, .path,
            "a file of CA certificates (PEM) that scripts' web requests trust instead of the system's CAs",
            isAdvanced: true),
        Setting(
            "HTTP_SSRF_GUARD", key: "http.ssrfGuard", formerly: ("HTTP_GUARD", "http.guard"),
            \.httpClient.curl.blocksPrivateAddresses, .flag,
            "whether requests to URLs from chat, and uploads of files on XMPP, are restricted to public addresses, so "
                + "that they can't reach this machine or its network",
            isAdvanced: true)
    ]
}
