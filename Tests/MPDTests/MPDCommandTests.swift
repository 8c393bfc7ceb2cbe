import HeybotMPD
import Testing

@Suite struct MPDCommandTests {
    private func text(_ command: MPDCommand) -> String { String(decoding: command.line, as: UTF8.self) }

    @Test func `arguments are quoted`() throws {
        let command = try MPDCommand("find", "file", "rain \"in\" C:\\x.wav")
        #expect(text(command) == #"find "file" "rain \"in\" C:\\x.wav""# + "\n")
        #expect(text(try .add("Björk/Jóga.wav")) == "addid \"Björk/Jóga.wav\"\n")
        #expect(text(try .add("'")) == "addid \"'\"\n")
    }

    @Test func `a quote with a combining mark is escaped too`() throws {
        // In Swift it is another character, but not for the player.
        #expect(text(try .add("\"\u{301}")) == "addid \"\\\"\u{301}\"\n")
    }

    @Test func `known commands have no arguments to quote`() {
        #expect(text(.volume(40)) == "setvol 40\n")
        #expect(text(.queue(3..<13)) == "playlistinfo 3:13\n")
        #expect(text(.play(id: 7)) == "playid 7\n")
    }

    @Test func `a search has a window`() throws {
        let command = try MPDCommand.search("any", ["blue", "green"], limit: 50)
        #expect(text(command) == "search \"any\" \"blue\" \"any\" \"green\" \"window\" \"0:50\"\n")
    }

    @Test(arguments: ["a\nkill", "a\r", "a\0b", "\n"]) func `no argument can begin another command`(_ text: String) {
        #expect(throws: MPDCommandEncodingError.lineBreak) { try MPDCommand.add(text) }
    }

    @Test func `a line has a limit`() throws {
        #expect(throws: MPDCommandEncodingError.tooLong) { try MPDCommand.add(String(repeating: "a", count: 4_000)) }
        let long = try MPDCommand.add(String(repeating: "\"", count: 1_990))
        #expect(long.line.count <= MPDCommand.longest)
    }
}

@Suite struct MPDAddressTests {
    @Test(arguments: [
        ("localhost", "localhost:6600"), ("music.example.org:6601", "music.example.org:6601"),
        ("127.0.0.1:1", "127.0.0.1:1"), ("[::1]:6600", "[::1]:6600"), ("::1", "[::1]:6600"), ("[::1]", "[::1]:6600"),
        ("/run/mpd/socket", "/run/mpd/socket")
    ]) func `addresses are read`(_ text: String, _ address: String) {
        #expect(MPDAddress(text)?.description == address)
        #expect(MPDAddress(address)?.description == address)
    }

    @Test(arguments: [
        "", ":6600", "a b", "host:", "host:0", "host:65536", "host:x", "secret@host", "http://host:1", "[::1", "a\nb",
        "/" + String(repeating: "a", count: 200), String(repeating: "a", count: 300)
    ]) func `other texts aren't addresses`(_ text: String) {
        #expect(MPDAddress(text) == nil)
    }
}
