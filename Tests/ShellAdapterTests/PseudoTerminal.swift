import CTerminal
import Foundation
import Heybot
import HeybotSupport
import Synchronization

@testable import ShellAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pseudoterminal and its screen.
final class PseudoTerminal: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isOver = false
        var waiting: (isThere: @Sendable (String) -> Bool, continuation: CheckedContinuation<Bool, Never>)?
    }

    private let master: Int32
    let slave: Int32
    private let width: Int
    private let state = Mutex(State())

    init(width: Int = 40) throws {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        guard heybot_open_terminal(Int32(width), 24, &ends.master, &ends.slave) else {
            throw ShellTestError.noTerminal
        }
        (master, slave) = ends
        self.width = width
        OSThread.start { self.collect() }
    }

    /// Collects the output until the last process has closed the terminal.
    private func collect() {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(master, &chunk, chunk.count)
            let waiting: CheckedContinuation<Bool, Never>? = state.withLock {
                if count > 0 { $0.bytes.append(contentsOf: chunk[..<count]) } else { $0.isOver = true }
                return Self.satisfied(&$0)
            }
            waiting?.resume(returning: count > 0)
            if count <= 0 { break }
        }
        close(master)
    }

    private static func satisfied(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
        guard let waiting = state.waiting,
            state.isOver || waiting.isThere(String(decoding: state.bytes, as: UTF8.self))
        else { return nil }
        state.waiting = nil
        return waiting.continuation
    }

    /// Waits until the output fulfills the condition; returns false if it is closed before, or after a timeout.
    @discardableResult
    func wait(until isThere: @escaping @Sendable (String) -> Bool) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: CheckedContinuation<Bool, Never>? = state.withLock {
                    $0.waiting = (isThere, continuation)
                    return Task.isCancelled ? $0.waiting.take()?.continuation : Self.satisfied(&$0)
                }
                now?.resume(returning: !Task.isCancelled)
            }
        } onCancel: {
            state.withLock { $0.waiting.take()?.continuation }?.resume(returning: false)
        }
    }

    /// Waits until the last row that isn't empty is this one, with the cursor after it.
    @discardableResult
    func wait(forRow row: String) async -> Bool {
        await wait { [self] in
            let screen = screen($0)
            return screen.text.indices.contains(screen.cursor.row) && screen.text[screen.cursor.row] == row
        }
    }

    private func screen(_ written: String) -> TerminalEmulator {
        var emulator = TerminalEmulator(width: width, height: 24)
        // Not while a sequence is incomplete.
        emulator.feed(written.replacing(/\e(\[[?0-9;]*)?$/, with: ""))
        return emulator
    }

    var screen: TerminalEmulator { screen(written) }
    var written: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            written += count
        }
    }

    /// The terminal's attributes, as `stty -a` shows them.
    var attributes: [UInt8] {
        var attributes = termios()
        guard tcgetattr(slave, &attributes) == 0 else { return [] }
        return withUnsafeBytes(of: attributes) { Array($0) }
    }

    /// Closes the terminal.
    func end() {
        close(slave)
    }
}

enum ShellTestError: Error { case noTerminal }

extension Robot.Limits {
    /// Limits that only a hang reaches, also on a busy machine.
    static var patient: Robot.Limits {
        var limits = Robot.Limits()
        (limits.deadline, limits.stallThreshold) = (.seconds(1_800), .seconds(600))
        limits.disconnectTimeout = .seconds(600)
        return limits
    }
}
