import FoundationEssentials
import Heybot
import HeybotSupport
import ShellAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error that ends the command: lines for the user, and an exit code from sysexits(3).
struct ExitError: Error {
    let lines: [String]
    let status: Int32

    init(_ lines: [String], _ status: Int32) {
        self.lines = lines
        self.status = status
    }

    init(_ line: String, _ status: Int32) {
        self.init([line], status)
    }

    /// An input doesn't exist.
    static func noInput(_ line: String) -> ExitError { ExitError(line, EX_NOINPUT) }

    /// A usage error.
    ///
    /// - Parameters:
    ///   - near: What the user probably meant.
    ///   - command: The command whose help is named if there is no suggestion.
    init(usage problem: String, meaning near: String? = nil, of command: String = "heybot") {
        let hint = near.map { "; did you mean \($0)?" } ?? (problem.hasSuffix("?") ? "" : "; see \(command) --help")
        self.init(problem + hint, EX_USAGE)
    }

    init(_ error: any Error) {
        if let failure = error as? ExitError {
            self = failure
            return
        }
        lines =
            switch error {
            case InvalidSettingsError.wrong(let problems): problems.map(\.description)
            case RobotError.misconfigured(let problems): problems
            default: ["\(error)"]
            }
        status =
            switch error {
            case let error as StoreError: Self.status(of: error.code)
            case DataFolderError.taken: EX_TEMPFAIL
            case is InvalidSettingsError, is DataFolderError, is RobotError: EX_CONFIG
            case is BrainCodingError, is HubotBrainJSONWriterError: EX_DATAERR
            case is ShellError: EX_IOERR
            case is any ListenErrorWithFix: EX_UNAVAILABLE
            default: EX_SOFTWARE
            }
    }

    private static func status(of code: StoreError.Code) -> Int32 {
        switch code {
        case .unavailable, .untrusted: EX_CANTCREAT
        case .busy: EX_TEMPFAIL
        case .full, .failed, .closed: EX_IOERR
        case .refused, .readOnly: EX_NOPERM
        case .tooNew: EX_CONFIG
        case .damaged, .tooLong: EX_DATAERR
        }
    }

    /// Prints the lines to standard error and exits with the code.
    func exit() -> Never {
        let severity = TerminalCapabilities(ProcessInfo.processInfo.environment).isErrorJournal ? "<3>" : ""
        for line in lines {
            let bytes = Array("\(severity)heybot: \(SafeText.line(line))\n".utf8)
            _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
        }
        systemExit(status)
    }
}

// The method above hides the function's own name.
private let systemExit = exit
