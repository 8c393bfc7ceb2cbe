#if os(Linux)
    import Foundation
    import Heybot
    import HeybotTesting
    import TestServers
    import Testing
    import HeybotWebServer

    /// The memory that a process keeps after it has received bodies.
    @Suite(.serialized, .timeLimit(.minutes(15))) struct MemoryTests {
        @Test func `memory comes back after a burst of large bodies`() async {
            await #expect(processExitsWith: .success) { try await MemoryTests.burst() }
        }

        private static func burst() async throws {
            let script = InlineScript { $0.post("/count", limit: 32 << 20) { .text("\($0.body.count)") } }
            try await withSite(script) { site async throws in
                let path = site.folder.path("body")
                try Data(repeating: 0x61, count: 12 << 20).write(to: URL(filePath: path))
                _ = try await site.curl("-d", "x", "{}/count")
                let before = try resident()
                for _ in 0..<4 {
                    try await withThrowingTaskGroup { group in
                        for _ in 0..<3 {
                            group.addTask {
                                try await site.curl("-H", "Expect:", "--data-binary", "@\(path)", "{}/count")
                            }
                        }
                        for try await count in group { #expect(count == "\(12 << 20)") }
                    }
                }
                let kept = try resident() - before
                #expect(kept < 16 << 20, "\(kept >> 20) MB")
            }
        }

        /// How many bytes of memory this process has, but for those of files.
        private static func resident() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
            let size = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first
            return try #require(size) << 10
        }
    }
#endif
