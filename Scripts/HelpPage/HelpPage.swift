import HeybotSupport

/// A robot's commands, as a page to read.
///
/// One HTML document in UTF-8 that loads nothing else. Its search box filters while one types; without JavaScript it
/// asks for `?q=words`, whose value is `query` here, and finds the same. Whatever it is given, it shows as plain text.
struct HelpPage: Sendable {
    /// Something to say to the robot.
    struct Command: Hashable, Sendable {
        /// What to type, without the robot's name; placeholders are in angle brackets, as in `score <name>`.
        let usage: String
        /// What it does.
        let purpose: String?
        /// A message it answers, without the robot's name; shown if it isn't the usage itself.
        let example: String?
        /// Whether only the robot's admins may use it.
        let isForAdmins: Bool
        /// Whether it is heard without the robot's name.
        let isHeard: Bool
        /// What has to be set before it can work; nil if nothing is missing.
        let missingSettings: String?

        /// Makes a command.
        init(
            usage: String, purpose: String? = nil, example: String? = nil, isForAdmins: Bool = false,
            isHeard: Bool = false, missingSettings: String? = nil
        ) {
            self.usage = usage
            self.purpose = purpose
            self.example = example
            self.isForAdmins = isForAdmins
            self.isHeard = isHeard
            self.missingSettings = missingSettings
        }
    }

    /// Commands that belong together.
    struct Group: Hashable, Sendable {
        /// What they are for, or the name of their script.
        let name: String
        /// In the order in which they are shown.
        let commands: [Command]

        /// Makes a group; one without commands isn't shown.
        init(name: String, commands: [Command]) {
            self.name = name
            self.commands = commands
        }
    }

    let robotName: String
    let groups: [Group]
    let query: String
    let nonce: String

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - groups: In the order in which they are shown.
    ///   - query: What to look for; everything is shown if it has no words.
    ///   - nonce: Base64 that nobody can guess, new for each response: without it in `securityPolicy`, neither style nor
    ///     script is taken. Other characters are dropped.
    init(robotName: String, groups: [Group], query: String = "", nonce: String) {
        self.robotName = robotName
        self.groups = groups.filter { !$0.commands.isEmpty }
        self.query = SafeText.pictured(query)
        self.nonce = String(String.UnicodeScalarView(nonce.unicodeScalars.filter(Self.isBase64)))
    }

    /// For the header Content-Security-Policy.
    ///
    /// It allows this page's style, script and icon, and its search form to ask the same server; nothing else.
    var securityPolicy: String {
        """
        default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; img-src data:; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """
    }

    /// Either alphabet of RFC 4648, and the padding.
    private static func isBase64(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "+", "/", "-", "_", "=": true
        default: false
        }
    }
}
