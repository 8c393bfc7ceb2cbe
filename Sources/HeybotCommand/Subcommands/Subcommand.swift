import ArgumentParser

/// A subcommand, with access to the options before its name.
protocol Subcommand: AsyncParsableCommand {
    associatedtype Flags: SettingOptionGroup

    var root: Command { get }
    /// The settings options that it supports. Its help shows them; others are refused.
    ///
    /// Read their values from ``options``.
    var flags: Flags { get }
    /// Whether it loads the scripts given with `-r`.
    var loadsScripts: Bool { get }
    /// Whether `--disable-httpd` means something for it.
    var mayServe: Bool { get }
}

extension Subcommand {
    /// All options, whether given before or after the subcommand's name.
    var options: Options { root.options }
    var loadsScripts: Bool { false }
    var mayServe: Bool { false }

    /// The first given settings option that the subcommand doesn't support.
    var unsupportedFlag: String? {
        Setting.all.first { options.flags[$0.name] != nil && !Flags.settings.contains($0.name) }?.flags.last
    }
}
