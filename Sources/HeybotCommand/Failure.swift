import FoundationEssentials
import Heybot
import HeybotSupport
import HeybotWebServer
import ShellAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why the command ends: lines for whoever ran it, and an exit status as sysexits has them.
struct Failure: Error {
    let lines: [String]
    let status: Int32

    init(_ lines: [String], _ status: Int32) {
        self.lines = lines
        self.status = status
    }

    init(_ line: String, _ status: Int32) {
        self.init([line], status)
    }

    /// The command line can't be understood; or it can if something else was meant.
    ///
    /// - Parameter command: Whose help tells more.
    init(usage problem: String, meaning near: String? = nil, of command: String = "heybot") {
        let hint = near.map { "; did you mean \($0)?" } ?? (problem.hasSuffix("?") ? "" : "; see \(command) --help")
        self.init(problem + hint, EX_USAGE)
    }

    init(_ error: any Error) {
        if let failure = error as? Failure {
            self = failure
            return
        }
        lines =
            switch error {
            case SettingsError.wrong(let problems): problems.map(\.description)
            case RobotError.misconfigured(let problems): problems
            default: ["\(error)"]
            }
        status =
            switch error {
            case let error as StoreError: Self.status(of: error.code)
            case DataFolderError.taken: EX_TEMPFAIL
            case is SettingsError, is DataFolderError, is RobotError: EX_CONFIG
            case is BrainError, is HubotExportError: EX_DATAERR
            case is ShellError: EX_IOERR
            case is WebServerError: EX_UNAVAILABLE
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

    /// Prints the lines to standard error, and leaves with the status.
    func exit() -> Never {
        let severity = TerminalFacts(ProcessInfo.processInfo.environment).isErrorJournal ? "<3>" : ""
        for line in lines {
            let bytes = Array("\(severity)heybot: \(SafeText.line(line))\n".utf8)
            _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
        }
        systemExit(status)
    }
}

// Under this name the method above can call it.
private let systemExit = exit
