import CCrash

/// Reports crashes: a signal handler writes the script, listener and message that the crashing thread was running.
///
/// Only the script threads record what they run. A crash in code that a script runs elsewhere, in a detached task for example,
/// is reported without a script.
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
        let (scope, id) = (origin.message?.adapter ?? "", origin.message?.value ?? "")
        withBytes(of: origin.script) { script in
            withBytes(of: origin.part) { listener in
                withBytes(of: scope) { scope in
                    withBytes(of: id) { id in
                        heybot_crash_note(
                            script.baseAddress, script.count, listener.baseAddress, listener.count,
                            scope.baseAddress, scope.count, id.baseAddress, id.count)
                    }
                }
            }
        }
    }

    /// Like `withUTF8`, but without the mutable copy, which only a text that isn't contiguous needs.
    private static func withBytes(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard text.utf8.withContiguousStorageIfAvailable(body) == nil else { return }
        var copy = text
        copy.withUTF8(body)
    }
}
