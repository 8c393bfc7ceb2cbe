/// The texts in `Scripts/Words`, split into lines on first use.
///
/// The build plugin TextEmbedding embeds the files of that folder in the program, `eight-ball.txt` as `eight_ball_txt`.
enum WordLists {
    /// The answers of the magic 8-ball.
    static let eightBall = lines(EmbeddedText.eight_ball_txt)
    /// The squirrel's blessings.
    static let shipIt = lines(EmbeddedText.shipit_txt)
    /// Lines with a character, a space, and the character upside down.
    static let turned = lines(EmbeddedText.turned_txt)

    /// Splits a text into lines, without empty ones and comments that begin with `#`.
    static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { $0.first != "#" }
            .map(String.init)
    }
}
