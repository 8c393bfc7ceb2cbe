import Heybot

extension Setting {
    /// The robot's settings.
    ///
    /// This table is the source for reading, listing and documenting them.
    static let all: [Setting] =
        general + shell.grouped("shell") + includedParts.flatMap(\.settings) + httpClient.grouped("web")

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
            "whether other robots may use the same data directory", isAdvanced: true),
        Setting(
            "SINGLE", key: "single", \.isSingle, .flag,
            "whether connections and scripts are in one process; `--single` means `true`. With `false`, a robot on IRC or "
                + "XMPP runs its scripts in a process of their own, which is replaced if it crashes, and by `heybot reload`",
            isAdvanced: true),
        Setting(
            "AUTH_ADMIN", key: "admins", \.admins, .names("ids of users, such as irc:ada"),
            "the ids of admins, such as `irc:ada`, or `ada` if there is only one adapter. On IRC, an id names an account, "
                + "a hostmask (`irc:ada!*@staff.example.org`) or a certificate (`irc:certfp:` and its fingerprint). The "
                + "user at the terminal is always an admin", isReloadable: true
        ),
        Setting(
            "SCRIPTS_OFF", key: "scripts.off", \.switches, .switches,
            "scripts to disable, everywhere (`Rules`) or in one room (`Rules@#dev`)", isReloadable: true),
        Setting(
            "LOG_LEVEL", key: "log.level", flags: ["--log-level"], \.log.levels, .levels,
            "the minimum level to log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`; "
                + "`info,Rules=debug,irc=trace` sets other levels for the script `Rules` and the adapter `irc`",
            isReloadable: true),
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
            "the maximum number of seconds to wait at shutdown for running scripts and queued answers"),
        Setting(
            "CONCURRENCY", key: "limits.concurrency", \.limits.concurrency, .number(1...100_000),
            "the maximum number of messages handled at a time", isAdvanced: true),
        Setting(
            "TEXT_LIMIT", key: "limits.text", \.limits.text, .bytes,
            "the maximum size of a message's text, such as `64kb`; larger messages reach no script", isAdvanced: true),
        Setting(
            "THREADS", key: "limits.threads", \.limits.threads, .number(1...1_000),
            "the number of threads that run scripts", isAdvanced: true)
    ]

    private static let shell: [Setting] = [
        Setting(
            "SHELL_USER_ID", key: "shell.userId", \.shell.userID, .text(),
            "the id of the user at the terminal", isAdvanced: true),
        Setting(
            "SHELL_USER_NAME", key: "shell.userName", \.shell.userName, .text(),
            "the name of the user at the terminal"),
        Setting(
            "SHELL_HISTSIZE", key: "shell.histSize", \.shell.historySize, .number(0...1_000_000),
            "the number of input lines to keep in the terminal's history", isAdvanced: true)
    ]
}
