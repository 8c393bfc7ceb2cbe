import Foundation
import Heybot
import HeybotTesting
import HeybotWebServer
import TestServers
import Testing

/// Files on disk, asked for by `curl`.
@Suite(.serialized, .timeLimit(.minutes(15))) struct FileTests {
    private let script = InlineScript { $0.get("/hello") { _ in .text("Hello!") } }

    private func configuration(_ folder: ScratchFolder) throws -> NIOHTTPServer.Configuration {
        try FileManager.default.createDirectory(atPath: folder.path("files/sub"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: true)
        for (name, text) in [
            ("files/page.html", "<p>page"), ("files/sub/a b.txt", "ab"), ("outside", "secret"),
            ("elsewhere/file", "secret"), ("elsewhere/index.html", "secret"), ("files/digits", "0123456789"),
            ("files/empty", "")
        ] { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
        var configuration = NIOHTTPServer.Configuration()
        configuration.files = folder.path("files")
        return configuration
    }

    @Test func `symbolic links aren't followed anywhere in the path`() async throws {
        let folder = try ScratchFolder()
        let configuration = try configuration(folder)
        for (name, target) in [
            ("link", "../outside"), ("absolute", folder.path("outside")), ("folder", "../elsewhere"),
            ("sub/folder", folder.path("elsewhere")), ("twice", "link"), ("proc", "/proc"), ("inside", "page.html")
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("files/\(name)"), withDestinationPath: target)
        }
        try FileManager.default.createDirectory(atPath: folder.path("files/home"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("files/home/index.html"), withDestinationPath: "../../outside")
        try await withSite(script, configuration) { site async throws in
            for path in [
                "/link", "/absolute", "/folder", "/folder/", "/folder/file", "/sub/folder/file", "/sub/folder/",
                "/twice",
                "/proc/self/environ", "/home/", "/inside"
            ] {
                let answer = try await site.curl("-i", "{}\(path)")
                #expect(answer.contains("HTTP/1.1 404") && !answer.contains("secret"), "\(path): \(answer)")
            }
            #expect(try await site.curl("{}/page.html") == "<p>page")
            #expect(try await site.curl("{}/sub/a%20b.txt") == "ab")
        }
    }

    @Test func `the folder itself may be a link, and be exchanged`() async throws {
        let folder = try ScratchFolder()
        var configuration = try configuration(folder)
        try FileManager.default.createDirectory(atPath: folder.path("next"), withIntermediateDirectories: true)
        try folder.write("<p>next", to: "next/page.html")
        let link = folder.path("current")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "files")
        configuration.files = link
        try await withSite(script, configuration) { site async throws in
            #expect(try await site.curl("{}/page.html") == "<p>page")
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "next")
            #expect(try await site.curl("{}/page.html") == "<p>next")
        }
    }

    @Test func `a pipe isn't waited for`() async throws {
        let folder = try ScratchFolder()
        let configuration = try configuration(folder)
        #expect(mkfifo(folder.path("files/pipe"), 0o600) == 0)
        try await withSite(script, configuration) { site async throws in
            #expect(try await site.status("{}/pipe") == "404")
        }
    }

    @Test func `a range of a file is served, and one beyond its end refused`() async throws {
        let folder = try ScratchFolder()
        let configuration = try configuration(folder)
        let big = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try big.write(to: URL(filePath: folder.path("files/big")))
        try await withSite(script, configuration) { site async throws in
            #expect(try await site.curl("-r", "2-4", "{}/digits") == "234")
            #expect(try await site.curl("-r", "7-", "{}/digits") == "789")
            #expect(try await site.curl("-r", "5-99", "{}/digits") == "56789")
            #expect(try await site.curl("-r", "-3", "{}/digits") == "0123456789")
            for range in ["10-", "20-30", "5-3", "9223372036854775807-", "99999999999999999999-"] {
                let head = try await site.curl("-i", "-H", "Range: bytes=\(range)", "{}/digits")
                #expect(head.hasPrefix("HTTP/1.1 416"), "\(range): \(head)")
            }
            #expect(try await site.status("{}/empty") == "200")
            #expect(try await site.status("-H", "Range: bytes=0-", "{}/empty") == "416")
            let path = site.folder.path("answer")
            _ = try await site.curl("-o", path, "{}/big")
            #expect(try Data(contentsOf: URL(filePath: path)) == big)
            _ = try await site.curl("-o", path, "-r", "200001-900000", "{}/big")
            #expect(try Data(contentsOf: URL(filePath: path)) == big[200_001...900_000])
        }
    }

    @Test func `a client that has a file already isn't sent it again`() async throws {
        let folder = try ScratchFolder()
        let configuration = try configuration(folder)
        try await withSite(script, configuration) { site async throws in
            let head = try await site.curl("-I", "{}/digits")
            let fields = head.split(separator: "\r\n").reduce(into: [String: String]()) { fields, line in
                guard let colon = line.firstRange(of: ": ") else { return }
                fields[line[..<colon.lowerBound].lowercased()] = String(line[colon.upperBound...])
            }
            let (tag, date) = (try #require(fields["etag"]), try #require(fields["last-modified"]))
            #expect(fields["content-length"] == "10" && fields["accept-ranges"] == "bytes")
            let old = "Thu, 01 Jan 1970 00:00:00 GMT"
            for (field, status) in [
                ("If-None-Match: \(tag)", "304"), ("If-None-Match: \"a\", \(tag)", "304"), ("If-None-Match: *", "304"),
                ("If-None-Match: \"a\"", "200"), ("If-Modified-Since: \(date)", "304"),
                ("If-Modified-Since: \(old)", "200"), ("If-Modified-Since: nonsense", "200")
            ] {
                #expect(try await site.status("-H", field, "{}/digits") == status, "\(field)")
            }
            let both = ["-H", "If-None-Match: \"a\"", "-H", "If-Modified-Since: \(date)"]
            #expect(try await site.status(both[0], both[1], both[2], both[3], "{}/digits") == "200")
            #expect(try await site.curl("-r", "0-1", "-H", "If-Range: \(date)", "{}/digits") == "01")
            #expect(try await site.curl("-r", "0-1", "-H", "If-Range: \(old)", "{}/digits") == "0123456789")
            #expect(try await site.curl("-r", "0-1,4-5", "{}/digits") == "0123456789")
            #expect(try await site.curl("-H", "Range: bytes=0-1 ", "{}/digits") == "01")
            #expect(try await site.curl("-H", "Range: lines=0-1", "{}/digits") == "0123456789")
            #expect(try await site.curl("-i", "-r", "8-", "{}/digits").contains("Content-Range: bytes 8-9/10"))
        }
    }

    @Test func `a folder's address gets its slash, and files have types`() async throws {
        let folder = try ScratchFolder()
        let configuration = try configuration(folder)
        try FileManager.default.createDirectory(atPath: folder.path("files/a b"), withIntermediateDirectories: true)
        try folder.write("{}", to: "files/a b/DATA.JSON")
        try await withSite(script, configuration) { site async throws in
            let head = try await site.curl("-i", "{}/a%20b")
            #expect(head.hasPrefix("HTTP/1.1 301") && head.contains("Location: /a%20b/\r\n"), "\(head)")
            #expect(try await site.status("{}/a%20b/") == "404")
            #expect(try await site.curl("-I", "{}/a%20b/DATA.JSON").contains("\r\nContent-Type: application/json\r\n"))
            #expect(try await !site.curl("-I", "{}/digits").contains("\r\nContent-Type"))
            for path in ["/%zz", "/%", "/%4", "/%C3", "/a%20b/%2e%2e/digits", "/a%20b%2FDATA.JSON"] {
                #expect(try await site.status("--path-as-is", "{}\(path)") == "404", "\(path)")
            }
        }
    }
}
