/// Why a helper of the tests gave up.
public enum ServersError: Error, CustomStringConvertible {
    /// A program isn't installed.
    case missing(String)
    /// A program or a system call failed; with what it said.
    case failed(String)
    /// What was waited for didn't come; with what came instead.
    case timedOut(String, got: [String])
    /// The connection ended before it came; with what came instead.
    case ended(String, got: [String])

    /// One line for what happened, then a line for each that came.
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
