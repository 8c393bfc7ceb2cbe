/// A name as the format has it: letters, digits, `_` and, in the names of metrics, `:`; no digit first.
///
/// Never begins with `__`, which Prometheus keeps for itself.
func formatName(_ text: String, colons: Bool) -> String {
    let bytes = text.unicodeScalars.map { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": UInt8(ascii: scalar)
        case ":" where colons: UInt8(ascii: scalar)
        default: UInt8(ascii: "_")
        }
    }
    let rest = bytes.drop { $0 == UInt8(ascii: "_") }
    let isWhole = rest.count == bytes.count && rest.first.map { $0 > UInt8(ascii: "9") } == true
    return (isWhole ? "" : "_") + String(decoding: rest, as: UTF8.self)
}
