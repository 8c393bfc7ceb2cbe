/// Why a test helper failed.
public enum TestServerError: Error, CustomStringConvertible {
    /// A program isn't installed.
    case missing(String)
    /// A program or a system call failed; with its output.
    case failed(String)
    /// The expected event didn't happen in time; with what arrived instead.
    case timedOut(String, got: [String])
    /// The connection ended before the expected event; with what arrived instead.
    case ended(String, got: [String])

    /// One line for the event, then one for each frame that arrived.
    public var description: String {
        switch self {
        case .missing(let program): "\(program) isn't installed"
        case .failed(let reason): reason
        case .timedOut(let wanted, let got): "\(wanted) didn't come in time, but\(Self.list(got))"
        case .ended(let wanted, let got): "the connection ended before \(wanted) came; there was\(Self.list(got))"
        }
    }

    private static func list(_ lines: [String]) -> String {
        lines.isEmpty ? " nothing" : lines.map { "\n    \($0)" }.joined()
    }
}
