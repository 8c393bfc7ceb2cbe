/// Checks a URL from a service; nil unless it is http or https, printable ASCII, and at most 500 characters long.
func checkedWebURL(_ text: String?) -> String? {
    guard let text, text.utf8.count <= 500, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    let folded = text.lowercased()
    let isWeb = ["http://", "https://"].contains { folded.hasPrefix($0) && folded.utf8.count > $0.utf8.count }
    return isWeb ? text : nil
}
