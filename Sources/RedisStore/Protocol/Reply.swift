/// What the server answers (RESP 2).
enum Reply: Hashable, Sendable {
    case text([UInt8])
    /// A short word, as `OK`.
    case status(String)
    case integer(Int)
    case nothing
    case error(ServerError)
    case array([Reply])

    /// Its bytes, where it's a text.
    var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    /// Its bytes as words for people, where it's a text or a status.
    var string: String? {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let word): word
        default: nil
        }
    }
}
