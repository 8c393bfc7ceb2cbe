/// Names for places in a page, each given once.
struct Anchors {
    private var uses: [String: Int] = [:]

    /// `script-` and the name's words with hyphens between them; with a number if that is taken.
    ///
    /// Letters of all scripts stay, so that links can be read, and a script keeps its anchor when others come.
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
