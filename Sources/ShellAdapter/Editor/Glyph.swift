import CTerminal
import HeybotSupport

/// A character as the terminal shows it.
struct Glyph: Hashable, Sendable {
    /// The character to write.
    let drawn: Character
    /// The width in columns; 0 if it combines with the character before it.
    let width: Int

    init(_ character: Character) {
        switch character {
        case "\n": drawn = "↵"
        case "\t": drawn = " "
        default:
            if let scalar = character.unicodeScalars.first, let picture = SafeText.picture(of: scalar) {
                drawn = Character(picture)
            } else {
                drawn = character
            }
        }
        width = Self.width(of: drawn)
    }

    /// The width of a character in columns, as in most terminals.
    static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if character.utf8.count == 1 { return 1 }
        // Sequences that are drawn as one character have the width of their widest part.
        let isOne = scalars.contains { scalar in
            switch scalar.value {
            case 0x200d, 0x1f3fb...0x1f3ff: true
            default: false
            }
        }
        if let first = scalars.first, (0x1f1e6...0x1f1ff).contains(first.value), scalars.count > 1 { return 2 }
        let widths = scalars.lazy.map(width(of:))
        return isOne ? widths.max() ?? 0 : widths.reduce(0, +)
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        let width = Int(heybot_scalar_width(scalar.value))
        // Unknown to the system, such as a new emoji. Most characters have the width 1.
        return width < 0 ? 1 : width
    }
}

extension StringProtocol {
    var glyphs: [Glyph] { map(Glyph.init) }

    /// The width in columns.
    var columns: Int { reduce(0) { $0 + Glyph($1).width } }
}
