import CCrash

/// What is reported if the process crashes: a signal handler writes the script, listener and message that the crashing
/// thread runs.
///
/// Only the script threads note what they run. Code of a script that runs elsewhere, on a detached task say, counts as
/// no script.
package enum CrashContext {
    /// Has crashes reported from now on, with a line on standard error.
    ///
    /// To be called once, before anything else handles these signals.
    ///
    /// - Parameters:
    ///   - record: The file that a record of the crash is appended to, a line of JSON; nil for none. Its path has at
    ///     most 1,023 bytes of UTF-8.
    ///   - prefix: What the line begins with, of at most 63 bytes.
    /// - Returns: False if the path or the prefix is too long; then nothing is reported.
    package static func report(to record: String?, prefix: String = "") -> Bool {
        heybot_crash_install(record, prefix)
    }

    /// Makes this thread ready to report even a stack overflow, while the body runs.
    static func withHandlerStack(_ body: () -> Void) {
        heybot_crash_begin_thread()
        defer { heybot_crash_end_thread() }
        body()
    }

    /// Notes what this thread runs from now on; takes some tens of nanoseconds.
    static func enter(_ part: ScriptPart) {
        var part = part
        var (scope, id) = (part.message?.adapter ?? "", part.message?.value ?? "")
        part.script.withUTF8 { script in
            part.part.withUTF8 { listener in
                scope.withUTF8 { scope in
                    id.withUTF8 { id in
                        heybot_crash_note(
                            script.baseAddress, script.count, listener.baseAddress, listener.count,
                            scope.baseAddress, scope.count, id.baseAddress, id.count)
                    }
                }
            }
        }
    }
}
