/// Generates unique anchors for the sections of a page.
struct HTMLAnchorGenerator {
    private var uses: [String: Int] = [:]

    /// Returns `script-` and the name's words joined with hyphens, with a number if that is taken.
    ///
    /// Letters of all writing systems are kept, so that links are readable. An anchor doesn't depend on other names unless
    /// they collide.
    mutating func anchor(for name: String) -> String {
        let words = HelpPage.Search.folded(name).split {
            !HelpPage.Search.isInWord($0) && $0.properties.generalCategory != .otherLetter
        }
        let anchor = (["script"] + words.map { String($0) }).joined(separator: "-")
        var free = anchor
        while uses[free] != nil {
            uses[anchor, default: 1] += 1
            free = "\(anchor)-\(uses[anchor, default: 1])"
        }
        uses[free] = 1
        return free
    }
}
