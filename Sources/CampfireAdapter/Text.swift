extension String {
    /// The text without control characters and line breaks, for names.
    var withoutControls: String {
        let unwanted: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
        return String(
            String.UnicodeScalarView(unicodeScalars.filter { !unwanted.contains($0.properties.generalCategory) }))
    }
}
