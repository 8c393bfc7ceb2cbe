import Foundation
import TestServers
import Testing

/// A terminal that a test types in and looks at.
final class Tmux {
    private let socket = "heybot-\(UUID().uuidString)"

    deinit { try? end() }

    func start(_ command: String, width: Int = 80, height: Int = 24) throws {
        // Its server outlives the call, and must not keep what other tests have open.
        let closing = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -le 2 ] || eval \"exec $fd>&-\"; done"
        try run("-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", command, after: closing)
    }

    /// Types texts, and keys by tmux's names for them.
    func type(_ keys: String...) throws {
        let names = ["Enter", "Tab", "Up", "Down", "Left", "Right", "BSpace", "Escape"]
        for key in keys {
            let isName = names.contains(key) || key.wholeMatch(of: #/C-./#) != nil
            if isName { try run("send-keys", key) } else { try run("send-keys", "-l", key) }
        }
    }

    /// Pastes a text, with its beginning and end marked if that was asked for.
    func paste(_ text: String) throws {
        try run("set-buffer", "--", text)
        try run("paste-buffer", "-p")
    }

    func resize(width: Int, height: Int = 24) throws {
        try run("resize-window", "-x", "\(width)", "-y", "\(height)")
    }

    /// What is on the screen, each line without the spaces at its end.
    func screen(withColors: Bool = false) throws -> String {
        let text = try withColors ? run("capture-pane", "-p", "-e") : run("capture-pane", "-p")
        return "\n"
            + text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.trimmed)
            .joined(separator: "\n")
    }

    /// Waits until all that is on the screen, and returns it.
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

    /// Not by Foundation's Process: that takes a command for running as long as its server does.
    @discardableResult
    private func run(_ arguments: String..., after preparation: String = ":") throws -> String {
        let words = (["tmux", "-u", "-L", socket] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        let script = "\(preparation)\n\(words.joined(separator: " ")) 2>&1 </dev/null\n"
        // The threads that tests run on let no signals in, and what they start inherits that: a server without SIGCHLD
        // would never end.
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
