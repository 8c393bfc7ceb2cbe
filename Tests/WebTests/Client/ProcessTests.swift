import Foundation
import TestServers
import Testing

/// A separate process that requests one URL.
@Suite(.timeLimit(.minutes(15))) struct ProcessTests {
    /// Whether libcurl was there before, what came, and whether it was there after.
    private func ask(_ url: String, environment: [String] = []) async throws -> [String] {
        let program = try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "test-worker")
        return try await ChildProcess.run(["env"] + environment + [program.path, "ask", url], in: ScratchFolder())
            .components("\n").dropLast()
    }

    @Test func `libcurl is there once it's needed`() async throws {
        let server = try answering()
        #expect(try await ask(server.url()) == ["false", "200", "true"])
        server.stop()
    }

    @Test func `if libcurl can't be loaded, the error says what to install`() async throws {
        let folder = try ScratchFolder()
        try folder.write("this is no library", to: "libcurl.so.4")
        let said = try await ask("http://h/", environment: ["LD_LIBRARY_PATH=\(folder.path)"])
        #expect(said.count == 3 && said[2] == "false")
        #expect(
            said[1].hasPrefix(
                "h can't be requested: this robot has no HTTP client: install libcurl4, version 7.88 or newer ("))
    }

    @Test func `the environment's proxies don't count`() async throws {
        let (server, proxy) = (try answering(), try answering("500 No"))
        let names = ["http_proxy", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"]
        let said = try await ask(server.url(), environment: names.map { "\($0)=http://127.0.0.1:\(proxy.port)" })
        #expect(said == ["false", "200", "true"])
        #expect(proxy.clients.isEmpty && server.clients.count == 1)
        server.stop()
        proxy.stop()
    }
}
