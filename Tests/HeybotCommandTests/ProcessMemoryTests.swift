import TestServers
import Testing

@testable import HeybotCommand

@Suite struct ProcessMemoryTests {
    private static let maps = """
        55f670c6e000-55f6714d2000 r--p 00000000 fe:00 5336450                    /opt/my bots/heybot
        Rss:                3512 kB
        Private_Dirty:       100 kB
        Anonymous:             0 kB
        VmFlags: rd mr mw me
        55f6714d2000-55f672bd2000 r-xp 00863000 fe:00 5336450                    /opt/my bots/heybot
        Rss:               14720 kB
        Anonymous:             0 kB
        VmFlags: rd ex mr mw me
        55f672bd2000-55f672cbb000 r--p 01f62000 fe:00 5336450                    /opt/my bots/heybot
        Rss:                 932 kB
        Anonymous:           932 kB
        VmFlags: rd mr mw me ac
        55f672cbb000-55f673027000 rw-p 0204a000 fe:00 5336450                    /opt/my bots/heybot
        Anonymous:             0 kB
        VmFlags: rd wr mr mw me ac
        55f673027000-55f673127000 rw-p 00000000 00:00 0
        Anonymous:             0 kB
        7f0000000000-7f0000010000 r-xp 00000000 fe:00 17                         /lib/libc.so.6
        Anonymous:             0 kB
        7f0000010000-7f0000012000 r-xp 00000000 00:00 0                          [vdso]
        Anonymous:             0 kB
        """

    @Test func `only unmodified pages of files are released`() {
        #expect(
            ProcessMemory.cleanMappings(in: Array(Self.maps.utf8)) == [
                0x55f6_70c6_e000..<0x55f6_714d_2000, 0x55f6_714d_2000..<0x55f6_72bd_2000,
                0x7f00_0000_0000..<0x7f00_0001_0000
            ])
        #expect(ProcessMemory.cleanMappings(in: Array("nonsense\n-:\n\nAnonymous:".utf8)) == [])
        let maps = Self.maps.split(separator: "\n").filter { !$0.contains(": ") }.joined(separator: "\n")
        #expect(
            ProcessMemory.mappings(in: Array(maps.utf8)) == [
                0x55f6_70c6_e000..<0x55f6_714d_2000, 0x55f6_714d_2000..<0x55f6_72bd_2000,
                0x55f6_72bd_2000..<0x55f6_72cb_b000, 0x7f00_0000_0000..<0x7f00_0001_0000
            ])
    }

    @Test func `memory is released once after each burst of work, when that is over`() {
        let work = WorkSinceRelease(.seconds(1))
        #expect(!work.beginsWaiting(.seconds(1) + .milliseconds(99)))
        #expect(work.beginsWaiting(.seconds(1) + .milliseconds(100)))
        #expect(!work.beginsWaiting(.seconds(2)))
        #expect(!work.isOver(.seconds(2)))
        #expect(!work.isOver(.seconds(2) + .milliseconds(10)))
        #expect(work.isOver(.seconds(2) + .milliseconds(19)))
        #expect(!work.beginsWaiting(.seconds(2) + .milliseconds(118)))
        #expect(work.beginsWaiting(.seconds(2) + .milliseconds(119)))
    }

    @Test(.timeLimit(.minutes(15)))
    func `a process has less memory afterwards, and keeps working`() async throws {
        let libraries = ProcessMemory.fileMappings
        #if os(Linux)
            // Repeatedly, because other tests take memory meanwhile.
            try await wait(for: "less memory") {
                let before = try #require(ProcessMemory.resident)
                ProcessMemory.releaseUnusedPages(of: libraries)
                return try #require(ProcessMemory.resident) < before
            }
        #endif
        for _ in 0..<3 { ProcessMemory.releaseUnusedPages(of: libraries) }
        #expect((1...100).map { "\($0)" }.joined().count == 192)
    }
}
