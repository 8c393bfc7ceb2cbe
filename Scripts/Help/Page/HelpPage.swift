import HeybotSupport

/// The help page: the robot's commands as an HTML document.
///
/// The document loads nothing else. Its search box filters while the user types; without JavaScript it requests `?q=words`,
/// which is `query` here, and finds the same commands. All foreign text is shown as plain text.
struct HelpPage: Sendable {
    /// A command of the robot.
    struct Command: Hashable, Sendable {
        /// The usage without the robot's name; placeholders are in angle brackets, as in `score <name>`.
        let usage: String
        /// The purpose of the command.
        let purpose: String?
        /// An example without the robot's name; shown if it differs from the usage.
        let example: String?
        /// Who may use the command, and where, such as `admins`; nil if everyone may, everywhere.
        let access: String?
        /// Whether the command works without the robot's name.
        let isHeard: Bool
        /// The missing settings without which the command doesn't work; nil if none is missing.
        let missingSettings: String?

        /// Creates a command.
        init(
            usage: String, purpose: String? = nil, example: String? = nil, access: String? = nil,
            isHeard: Bool = false, missingSettings: String? = nil
        ) {
            self.usage = usage
            self.purpose = purpose
            self.example = example
            self.access = access
            self.isHeard = isHeard
            self.missingSettings = missingSettings
        }
    }

    /// A section of the page: a heading with commands.
    struct Section: Hashable, Sendable {
        /// The topic, or the name of the script.
        let name: String
        /// The commands in the order in which they are shown.
        let commands: [Command]

        /// Creates a section.
        ///
        /// A section without commands isn't shown.
        init(name: String, commands: [Command]) {
            self.name = name
            self.commands = commands
        }
    }

    let robotName: String
    let sections: [Section]
    let query: String
    let nonce: String

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - robotName: The robot's name.
    ///   - sections: The sections in the order in which they are shown.
    ///   - query: The search query; everything is shown if it has no words.
    ///   - nonce: Unguessable Base64, new for each response, which allows the page's style and script in `securityPolicy`. Other
    ///     characters are dropped.
    init(robotName: String, sections: [Section], query: String = "", nonce: String) {
        self.robotName = robotName
        self.sections = sections.filter { !$0.commands.isEmpty }
        self.query = SafeText.pictured(query)
        self.nonce = String(String.UnicodeScalarView(nonce.unicodeScalars.filter(Self.isBase64)))
    }

    /// The value of the header Content-Security-Policy.
    ///
    /// It allows only this page's style, script and icon, and its search form.
    var securityPolicy: String {
        """
        default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; img-src data:; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """
    }

    /// Whether a scalar belongs to either Base64 alphabet of RFC 4648, or is padding.
    private static func isBase64(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "+", "/", "-", "_", "=": true
        default: false
        }
    }
}
