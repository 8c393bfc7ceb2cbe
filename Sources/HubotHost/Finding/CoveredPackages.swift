/// The packages for Hubot whose job this robot does without them.
package enum CoveredPackages {
    /// The scripts that do a package's job.
    private static let scripts = [
        "hubot-help": "Help", "hubot-diagnostics": "Diagnostics", "hubot-rules": "Rules", "hubot-maps": "Maps",
        "hubot-google-images": "Images", "hubot-google-translate": "Translate", "hubot-pugme": "Pugs",
        "hubot-shipit": "ShipIt", "hubot-youtube": "YouTube"
    ]
    /// Packages whose job the robot itself does.
    private static let others = [
        "hubot-redis-brain": "the robot's brain", "hubot-heroku-keepalive": "the robot's web server",
        "hubot-scripts": "hubot-scripts.json"
    ]

    /// What does a package's job; nil if nothing does.
    ///
    /// - Parameter names: The names of the robot's scripts.
    package static func cover(of package: String, in names: [String]) -> String? {
        if let script = scripts[package] { return names.contains(script) ? "the script \(script)" : nil }
        return others[package]
    }
}
