import Heybot
import IRCAdapter
import XMPPAdapter

/// Everything that can be set, with what holds if nothing is.
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
    var talk = Talk()
    /// Whether all that goes over the connection is logged.
    var logsLines = (irc: false, xmpp: false)
    var redis = Redis()
    var campfire = Campfire()
    var web = Web()
    var http = HTTP()
    /// What the scripts' own settings are set to, by name.
    var scripts: [String: String] = [:]

    /// How to log, with what an adapter's own setting adds.
    var logging: Log {
        var log = log
        if logsLines.irc { log.levels.trace(AdapterName.irc.rawValue) }
        if logsLines.xmpp { for name in [AdapterName.xmpp, .gtalk] { log.levels.trace(name.rawValue) } }
        return log
    }

    struct Log: Sendable {
        var levels = LogLevels()
        /// What suits where it goes, if it is nil.
        var format: LogFormat?
    }

    struct Shell: Sendable {
        var userID = "1"
        var userName = "Shell"
        var historySize = 1_024
    }
}

/// An adapter by the name it is chosen by.
enum AdapterName: String, CaseIterable, Sendable {
    case shell, irc, xmpp, gtalk, campfire

    static let expected = allCases.map(\.rawValue).joined(separator: ", ")
}

extension Setting {
    /// Every setting of the robot's: the one table from which they are read, shown and documented.
    static let all: [Setting] = general + redis + web + irc + xmpp + campfire

    private static let general: [Setting] = [
        Setting("NAME", key: "name", flags: ["-n", "--name"], \.name, .text(), "what the robot is called"),
        Setting(
            "ALIAS", key: "alias", flags: ["-l", "--alias"], \.alias, .optional(),
            "another name it answers to; `/` where the flag stands alone"),
        Setting(
            "ADAPTER", key: "adapters", flags: ["-a", "--adapter"], \.adapters, .adapters,
            "the adapters it chats through, with commas between them; the flag may be given several times"),
        Setting(
            "DATA", key: "data", flags: ["--data"], \.data, .path,
            "the folder for what it remembers; in the file, from the file's own folder",
            fallback: "~/.local/share/heybot"),
        Setting(
            "CONFIG", key: nil, flags: ["--config"], \.config, .path, "the settings file",
            fallback: "heybot.json, where there is one"),
        Setting(
            "SHARED", key: "shared", \.isShared, .flag, "whether other robots may run with the same data folder"),
        Setting(
            "AUTH_ADMIN", key: "admins", \.admins, .names("ids of users, such as irc:ada"),
            "ids of admins, such as `irc:ada`, or `ada` where there is one adapter; on IRC an account, a hostmask as "
                + "`irc:ada!*@staff.example.org`, or a certificate as `irc:certfp:` and its fingerprint; you in your "
                + "terminal always are one"
        ),
        Setting(
            "SCRIPTS_OFF", key: "scripts.off", \.switches, .switches,
            "scripts to switch off, such as `Rules`, or in one room only, `Rules@#dev`"),
        Setting(
            "LOG_LEVEL", key: "log.level", flags: ["--log-level"], \.log.levels, .levels,
            "the least severe level to log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`; for one script or "
                + "part, `info,Rules=debug`"),
        Setting(
            "LOG_FORMAT", key: "log.format", \.log.format, .format, "how to log: `short`, `logfmt` or `json`",
            fallback: "short on a terminal, else logfmt"),
        Setting(
            "DEADLINE", key: "limits.deadline", \.limits.deadline, .seconds,
            "how many seconds a script may take to answer"),
        Setting(
            "GRACE", key: "limits.grace", \.limits.grace, .secondsOrNone,
            "how many seconds it may take to finish what it is doing and saying when it is told to stop"),
        Setting(
            "CONCURRENCY", key: "limits.concurrency", \.limits.concurrency, .number(1...100_000),
            "how many messages are handled at once"),
        Setting(
            "TEXT_LIMIT", key: "limits.text", \.limits.text, .bytes,
            "how long the text of a message may be, as `64kb`; a longer one goes to no script"),
        Setting(
            "THREADS", key: "limits.threads", \.limits.threads, .number(1...1_000), "how many threads scripts run on"),
        Setting(
            "SHELL_USER_ID", key: "shell.userId", \.shell.userID, .text(), "your id to the scripts, in your terminal"),
        Setting(
            "SHELL_USER_NAME", key: "shell.userName", \.shell.userName, .text(),
            "your name to the scripts, in your terminal"),
        Setting(
            "SHELL_HISTSIZE", key: "shell.histSize", \.shell.historySize, .number(0...1_000_000),
            "how many lines of what you typed in your terminal are kept")
    ]
}
