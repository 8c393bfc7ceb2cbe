import Foundation
import TestServers
import Testing

/// A terminal for a test.
final class Tmux {
    private var socket = ""

    deinit { try? end() }

    func start(_ command: String, width: Int = 80, height: Int = 24) throws {
        // Another one for each start: a server that was killed may still be ending.
        socket = "heybot-\(UUID().uuidString)"
        // The server outlives the call, and must not inherit other tests' file descriptors.
        let closing = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -le 2 ] || eval \"exec $fd>&-\"; done"
        try run("-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", command, after: closing)
    }

    /// Types texts, and keys by tmux's names.
    func type(_ keys: String...) throws {
        let names = ["Enter", "Tab", "Up", "Down", "Left", "Right", "BSpace", "Escape"]
        for key in keys {
            let isName = names.contains(key) || key.wholeMatch(of: #/C-./#) != nil
            if isName { try run("send-keys", key) } else { try run("send-keys", "-l", key) }
        }
    }

    /// Pastes a text, bracketed if the program has enabled that.
    func paste(_ text: String) throws {
        try run("set-buffer", "--", text)
        try run("paste-buffer", "-p")
    }

    func resize(width: Int, height: Int = 24) throws {
        try run("resize-window", "-x", "\(width)", "-y", "\(height)")
    }

    /// The lines on the screen, without trailing spaces.
    func screen(withColors: Bool = false) throws -> String {
        let text = try withColors ? run("capture-pane", "-p", "-e") : run("capture-pane", "-p")
        return "\n"
            + text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.trimmed)
            .joined(separator: "\n")
    }

    /// Waits until the screen contains all texts, and returns the screen.
    @discardableResult
    func waitFor(_ texts: String..., at place: SourceLocation = #_sourceLocation) async throws -> String {
        let end = ContinuousClock.now + .testLimit
        while true {
            let screen = try screen()
            if texts.allSatisfy({ screen.contains(Self.trimmed($0)) }) { return screen }
            if ContinuousClock.now > end {
                Issue.record("there is no \(texts) on the screen:\(screen)", sourceLocation: place)
                throw CancellationError()
            }
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    func end() throws {
        try run("kill-server")
    }

    private static func trimmed(_ line: some StringProtocol) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Foundation's Process would wait for the server too.
    @discardableResult
    private func run(_ arguments: String..., after preparation: String = ":") throws -> String {
        let words = (["tmux", "-u", "-L", socket] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        let script = "\(preparation)\n\(words.joined(separator: " ")) 2>&1 </dev/null\n"
        // Test threads block all signals, and child processes inherit that: without SIGCHLD the server would never
        // exit.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        let stream = popen("exec bash -s <<'END'\n\(script)END\n", "r")
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard let stream else { throw CocoaError(.executableLoad) }
        var said: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { said += chunk[..<count] }
        pclose(stream)
        return String(decoding: said, as: UTF8.self)
    }
}
