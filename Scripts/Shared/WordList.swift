/// The texts in `Scripts/Words`, line by line; each is read when it is first asked for.
///
/// SwiftPM puts the bytes of everything in that folder into the program, as `eight_ball_txt` for `eight-ball.txt`.
enum WordList {
    /// What the magic ball says.
    static let eightBall = lines(PackageResources.eight_ball_txt)
    /// What is said when something is to be shipped.
    static let shipIt = lines(PackageResources.shipit_txt)
    /// Characters, each with a space and what it is upside down.
    static let turned = lines(PackageResources.turned_txt)

    /// The lines of a text in UTF-8, without the empty ones and those that begin with `#`.
    static func lines(_ text: [UInt8]) -> [String] {
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).filter { $0.first != "#" }
            .map(String.init)
    }
}
