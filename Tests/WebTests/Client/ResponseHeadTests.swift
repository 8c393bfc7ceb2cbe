import Heybot
import Testing

@testable import CurlClient

/// Headers that come line by line.
struct ResponseHeadTests {
    private func headers(_ lines: String...) -> HTTPHeaders {
        var head = ResponseHead()
        for line in lines {
            let isTaken = head.add(Array("\(line)\r\n".utf8))
            #expect(isTaken)
        }
        return head.headers
    }

    @Test func `fields are those of the last answer`() {
        let headers = headers(
            "HTTP/1.1 100 Continue", "A: early", "", "HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200 OK",
            "B:  two words\t", "C:", "B: 2", "")
        #expect(headers == ["B": "two words", "C": "", "B": "2"])
    }

    @Test func `trailers aren't header fields`() {
        #expect(headers("HTTP/1.1 200 OK", "A: 1", "", "Trailer: x") == ["A": "1"])
    }

    @Test func `a field may go over several lines`() {
        #expect(headers("HTTP/1.1 200 OK", "A: 1", "  2", "\t3 ", "B: 4", "") == ["A": "1 2 3", "B": "4"])
        #expect(headers("HTTP/1.1 200 OK", " A: 1", "B: 2", "") == ["B": "2"])
    }

    @Test(arguments: [
        (["A: gzip"], 0), (["Content-Encoding: gzip"], 1), (["Content-Encoding: identity, br"], 1),
        (["content-encoding: gzip, gzip"], 2), (["Content-Encoding: gzip", "Content-Encoding: ,zstd"], 2),
        (["Content-Encoding: gzip,", " br"], 2), (["Transfer-Encoding: gzip, chunked", "Content-Encoding: br"], 2),
        (["Transfer-Encoding: chunked", "Content-Encoding: br"], 1)
    ])
    func `codings are counted, however they are listed`(_ lines: [String], _ count: Int) {
        var head = ResponseHead()
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            let isTaken = head.add(Array("\(line)\r\n".utf8))
            #expect(isTaken)
        }
        #expect(head.codings == count)
    }

    @Test func `an invalid field is dropped`() {
        let headers = headers(
            "HTTP/2 200", "no colon", ": no name", "a b: 1", "A\u{0}: 1", "B: \u{1b}[31m", "C: \u{0}", "D: \u{7f}",
            "E: ü", "")
        #expect(headers == ["E": "ü"])
    }

    @Test func `bytes that aren't UTF-8 are replaced`() {
        var head = ResponseHead()
        for line in [Array("HTTP/1.1 200 OK\r\n".utf8), [UInt8(ascii: "A"), UInt8(ascii: ":"), 0xFC, 0x0D, 0x0A]] {
            let isTaken = head.add(line)
            #expect(isTaken)
        }
        #expect(head.headers == ["A": "\u{FFFD}"])
    }

    @Test func `the text is bounded, whatever it consists of`() {
        for line in ["A: 1\r\n", "HTTP/1.1 100 Continue\r\n", "\r\n", "T: after the body\r\n"] {
            var head = ResponseHead()
            var count = 0
            while count <= ResponseHead.limit, head.add(Array(line.utf8)) { count += line.utf8.count }
            #expect(count <= ResponseHead.limit && count > ResponseHead.limit - line.utf8.count)
        }
    }
}
