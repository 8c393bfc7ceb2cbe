import Heybot
import IRCAdapter
import XMPPAdapter

/// The values of all settings, initially the defaults.
struct Settings: Sendable {
    var config: String?
    var name = "Heybot"
    var alias: String?
    var adapters: [AdapterName] = [.shell]
    var data: String?
    var isShared = false
    var log = Log()
    var admins: Set<String> = []
    var switches = ScriptSwitches()
    var limits = Robot.Limits()
    var shell = Shell()
    var irc = IRCAdapter.Configuration()
    var xmpp = XMPPAdapter.Configuration()
    var googleTalk = GoogleTalk()
    /// Whether to log every line or stanza of a connection.
    var logsLines = (irc: false, xmpp: false)
    var redis = Redis()
    var campfire = Campfire()
    var web = Web()
    var http = HTTP()
    /// The values of the scripts' settings, by name.
    var scripts: [String: String] = [:]

    /// The log settings, including the adapters' debug settings.
    var logging: Log {
        var log = log
        if logsLines.irc { log.levels.trace(AdapterName.irc.rawValue) }
        if logsLines.xmpp { for name in [AdapterName.xmpp, .gtalk] { log.levels.trace(name.rawValue) } }
        return log
    }

    struct Log: Sendable {
        var levels = LogLevels()
        /// If nil, the format depends on whether standard error is a terminal.
        var format: LogFormat?
    }

    struct Shell: Sendable {
        var userID = "1"
        var userName = "Shell"
        var historySize = 1_024
    }
}

/// The names of the adapters.
enum AdapterName: String, CaseIterable, Sendable {
    case shell, irc, xmpp, gtalk, campfire

    static let expected = allCases.map(\.rawValue).joined(separator: ", ")
}

extension Setting {
    /// The robot's settings.
    ///
    /// This table is the source for reading, listing and documenting them.
    static let all: [Setting] = general + redis + web + irc + xmpp + campfire

    private static let general: [Setting] = [
        Setting(
            "NAME", key: "name", flags: ["-n", "--name"], \.name, .text(),
            "the robot's name"),
        Setting(
            "ALIAS", key: "alias", flags: ["-l", "--alias"], \.alias, .optional(),
            "another name that the robot answers to; `-l` alone means `/`"),
        Setting(
            "ADAPTER", key: "adapters", flags: ["-a", "--adapter"], \.adapters, .adapters,
            "the adapters to chat through, separated by commas; the option can be repeated"),
        Setting(
            "DATA", key: "data", flags: ["--data"], \.data, .path,
            "the data directory; in heybot.json, a relative path is relative to the directory of that file",
            fallback: "~/.local/share/heybot"),
        Setting(
            "CONFIG", key: nil, flags: ["--config"], \.config, .path,
            "the settings file", fallback: "heybot.json, if it exists"),
        Setting(
            "SHARED_DATA", key: "sharedData", formerly: ("SHARED", "shared"), \.isShared, .flag,
            "whether other robots may use the same data directory"),
        Setting(
            "AUTH_ADMIN", key: "admins", \.admins, .names("ids of users, such as irc:ada"),
            "the ids of admins, such as `irc:ada`, or `ada` if there is one adapter; on IRC an account, a hostmask "
                + "(`irc:ada!*@staff.example.org`) or a certificate (`irc:certfp:` and its fingerprint). The user at the "
                + "terminal is always an admin"
        ),
        Setting(
            "SCRIPTS_OFF", key: "scripts.off", \.switches, .switches,
            "scripts to disable, everywhere (`Rules`) or in one room (`Rules@#dev`)"),
        Setting(
            "LOG_LEVEL", key: "log.level", flags: ["--log-level"], \.log.levels, .levels,
            "the minimum level to log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`; for one "
                + "script or part, `info,Rules=debug`"),
        Setting(
            "LOG_FORMAT", key: "log.format", \.log.format, .format,
            "the log format: `short`, `logfmt` or `json`", fallback: "short on a terminal, otherwise logfmt"),
        Setting(
            "DEADLINE", key: "limits.deadline", \.limits.deadline, .seconds,
            "seconds a script may take to answer"),
        Setting(
            "SHUTDOWN_TIMEOUT", key: "limits.shutdownTimeout", formerly: ("GRACE", "limits.grace"),
            \.limits.shutdownGracePeriod,
            .secondsOrNone,
            "seconds to finish running scripts and send queued answers at shutdown"),
        Setting(
            "CONCURRENCY", key: "limits.concurrency", \.limits.concurrency, .number(1...100_000),
            "the maximum number of messages handled at a time"),
        Setting(
            "TEXT_LIMIT", key: "limits.text", \.limits.text, .bytes,
            "the maximum size of a message's text, such as `64kb`; larger messages reach no script"),
        Setting(
            "THREADS", key: "limits.threads", \.limits.threads, .number(1...1_000),
            "the number of threads that run scripts"),
        Setting(
            "SHELL_USER_ID", key: "shell.userId", \.shell.userID, .text(),
            "the id of the user at the terminal"),
        Setting(
            "SHELL_USER_NAME", key: "shell.userName", \.shell.userName, .text(),
            "the name of the user at the terminal"),
        Setting(
            "SHELL_HISTSIZE", key: "shell.histSize", \.shell.historySize, .number(0...1_000_000),
            "the number of input lines to keep in the terminal's history")
    ]
}
