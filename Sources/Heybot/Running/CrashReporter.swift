import CCrash

/// Reports crashes: a signal handler writes the script, listener and message that the crashing thread was running.
///
/// The script threads record what they run, and adapters' threads the observers. A crash in code that a script runs elsewhere, in
/// a detached task for example, is reported without a script.
package enum CrashReporter {
    /// Reports crashes from now on, with a line on standard error.
    ///
    /// Call it once, before anything else handles these signals.
    ///
    /// - Parameters:
    ///   - record: The path of a file to which a record of the crash is appended as a line of JSON, of at most 1,023 bytes of
    ///     UTF-8; nil for none.
    ///   - prefix: The beginning of the line on standard error, at most 63 bytes.
    /// - Returns: False if the path or the prefix is too long; then crashes aren't reported.
    package static func report(to record: String?, prefix: String = "") -> Bool {
        heybot_crash_install(record, prefix)
    }

    /// Runs `body` with an alternate signal stack, so that even a stack overflow is reported.
    static func withHandlerStack(_ body: () -> Void) {
        heybot_crash_begin_thread()
        defer { heybot_crash_end_thread() }
        body()
    }

    /// Records what this thread runs from now on.
    ///
    /// Takes some tens of nanoseconds.
    static func enter(_ origin: RunningScriptPart) {
        enter(message: origin.message)
        enter(script: origin.script, part: origin.part)
    }

    /// Records the message that this thread handles from now on, for several parts of scripts.
    static func enter(message: Message.ID?) {
        guard let message else { return heybot_crash_note_message(nil, 0, nil, 0) }
        withBytes(of: message.adapter) { scope in
            withBytes(of: message.value) { id in
                heybot_crash_note_message(scope.baseAddress, scope.count, id.baseAddress, id.count)
            }
        }
    }

    private static func enter(script: String, part: String) {
        withBytes(of: script) { script in
            withBytes(of: part) { part in
                heybot_crash_note_script(script.baseAddress, script.count, part.baseAddress, part.count)
            }
        }
    }

    /// A part of a script that runs for nearly every message, prepared for crash reports.
    ///
    /// It takes a quarter of a kilobyte that is never freed. It can be sent because that never changes.
    struct PreparedOrigin: @unchecked Sendable {
        fileprivate let pointer: OpaquePointer?

        init(script: String, part: String) {
            var made: OpaquePointer?
            withBytes(of: script) { script in
                withBytes(of: part) { part in
                    made = heybot_crash_make_origin(script.baseAddress, script.count, part.baseAddress, part.count)
                }
            }
            pointer = made
        }
    }

    /// Records the part of a script that this thread runs from now on, for the message recorded last.
    static func enter(_ origin: PreparedOrigin) { heybot_crash_note_origin(origin.pointer) }

    /// Like `withUTF8`, but without the mutable copy, which only a text that isn't contiguous needs.
    private static func withBytes(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard text.utf8.withContiguousStorageIfAvailable(body) == nil else { return }
        var copy = text
        copy.withUTF8(body)
    }
}
