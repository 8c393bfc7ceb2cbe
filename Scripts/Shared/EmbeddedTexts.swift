/// The texts in `Scripts/Words`, split into lines on first use.
///
/// SwiftPM embeds the files of that folder in the program, `eight-ball.txt` as `eight_ball_txt`.
enum EmbeddedTexts {
    /// The answers of the magic 8-ball.
    static let eightBall = lines(PackageResources.eight_ball_txt)
    /// The squirrel's blessings.
    static let shipIt = lines(PackageResources.shipit_txt)
    /// Lines with a character, a space, and the character upside down.
    static let turned = lines(PackageResources.turned_txt)

    /// Splits a UTF-8 text into lines, without empty ones and comments that begin with `#`.
    static func lines(_ text: [UInt8]) -> [String] {
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).filter { $0.first != "#" }
            .map(String.init)
    }
}
