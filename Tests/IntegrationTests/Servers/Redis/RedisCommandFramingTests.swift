import TestServers
import Testing

/// The splitting of a client's input into commands.
@Suite struct RedisCommandFramingTests {
    @Test(arguments: [
        ("*1\r\n$4\r\nPING\r\n", [#""PING""#]),
        ("*2\r\n$3\r\nGET\r\n$3\r\na b\r\n*1\r\n$4\r\nPING\r\n", [#""GET" "a b""#, #""PING""#]),
        ("*3\r\n$3\r\nSET\r\n$0\r\n\r\n$6\r\n\"\\\r\né\r\n", [#""SET" "" "\x22\x5c\x0d\x0a\xc3\xa9""#]),
        ("*2\r\n$4\r\nECHO\r\n$14\r\n*1\r\n$4\r\nPING\r\n\r\n", [#""ECHO" "*1\x0d\x0a$4\x0d\x0aPING\x0d\x0a""#]),
        ("*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPIN", [#""PING""#]),
        ("*1\r\n$4\r\nPING\r", []),
        ("", [])
    ])
    func `commands are complete`(_ text: String, _ pieces: [String]) {
        var (whole, inBytes) = (RedisCommandFraming(), RedisCommandFraming())
        #expect(whole.split(Array(text.utf8)[...]) == pieces)
        #expect(text.utf8.flatMap { inBytes.split([$0]) } == pieces)
    }

    @Test(arguments: [
        "PING\r\n", "\r\n", "$1\r\n$4\r\nPING\r\n", "*0\r\n", "*-1\r\n", "*+1\r\n$4\r\nPING\r\n",
        "*01\r\n$4\r\nPING\r\n",
        "*1 \n$4\r\nPING\r\n", "*1\n$4\r\nPING\r\n", "*\r\n", "*x\r\n", "*1048577\r\n", "*100000000000",
        "*1\r\n*4\r\nPING\r\n", "*1\r\n:4\r\nPING\r\n", "*1\r\n$-1\r\n", "*1\r\n$536870913\r\n", "*1\r\n$4\r\nPING\r ",
        "*1\r\n$4\r\nPING\n\n", "*1\r\n$4\r\nPINGS\r\n"
    ])
    func `invalid input is reported once, and ends the pieces`(_ text: String) {
        let command = "*1\r\n$4\r\nQUIT\r\n"
        for size in [1, text.utf8.count] {
            var commands = RedisCommandFraming()
            #expect(commands.split(Array(command.utf8)[...]) == [#""QUIT""#])
            var pieces: [String] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                pieces += commands.split(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            pieces += commands.split(Array(command.utf8)[...])
            #expect(pieces.count == 1 && pieces.first?.hasPrefix("no Redis command: ") == true, "\(pieces)")
            #expect(pieces.allSatisfy { RedisCommandFraming.words(of: $0) == nil })
        }
    }

    @Test func `a command's words are returned unchanged`() {
        let all = (0...255).map { UInt8($0) }
        let words = [Array("SET".utf8), [], all, Array("\" \\x0a\"".utf8), [0xff]]
        let sent = "*\(words.count)\r\n".utf8 + words.flatMap { "$\($0.count)\r\n".utf8 + $0 + "\r\n".utf8 }
        var commands = RedisCommandFraming()
        #expect(commands.split(sent[...]).map { RedisCommandFraming.words(of: $0) } == [words])
    }
}
