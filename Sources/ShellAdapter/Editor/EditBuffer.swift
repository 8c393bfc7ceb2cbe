/// A line of text with a cursor.
struct EditBuffer: Equatable, Sendable {
    /// The maximum size in bytes.
    static let limit = 1 << 20

    private(set) var characters: [Character] = []
    /// The index of the character after the cursor.
    private(set) var cursor = 0
    private var size = 0

    init(_ text: String = "") {
        insert(text)
    }

    var text: String { String(characters) }
    var textToCursor: String { String(characters[..<cursor]) }
    var isEmpty: Bool { characters.isEmpty }

    /// Inserts text at the cursor.
    ///
    /// - Returns: False if the text didn't fit completely.
    @discardableResult
    mutating func insert(_ text: String) -> Bool {
        let room = Self.limit - size
        guard text.utf8.count > room else {
            insertWhole(text)
            return true
        }
        var fitting = ""
        for character in text {
            guard fitting.utf8.count + character.utf8.count <= room else { break }
            fitting.append(character)
        }
        insertWhole(fitting)
        return false
    }

    private mutating func insertWhole(_ text: String) {
        size += text.utf8.count
        // A combining mark joins the character before it.
        let start = max(cursor - 1, 0)
        let joined = Array(String(characters[start..<cursor]) + text)
        characters.replaceSubrange(start..<cursor, with: joined)
        cursor = start + joined.count
        join()
    }

    /// Joins the characters on both sides of the cursor if they form one, such as a letter and a combining mark.
    private mutating func join() {
        guard cursor > 0, cursor < characters.count else { return }
        let pair = String(characters[cursor - 1...cursor])
        guard pair.count == 1, let joined = pair.first else { return }
        characters.replaceSubrange(cursor - 1...cursor, with: CollectionOfOne(joined))
    }

    /// Removes characters and returns their text.
    @discardableResult
    mutating func remove(_ range: Range<Int>) -> String {
        let text = String(characters[range])
        characters.removeSubrange(range)
        size -= text.utf8.count
        if cursor >= range.upperBound { cursor -= range.count } else { cursor = min(cursor, range.lowerBound) }
        join()
        return text
    }

    mutating func move(to place: Int) {
        cursor = min(max(place, 0), characters.count)
    }

    /// Swaps the characters around the cursor, or the last two at the end.
    ///
    /// - Returns: False if there are fewer than two.
    mutating func transpose() -> Bool {
        guard cursor > 0, characters.count > 1 else { return false }
        move(to: min(cursor, characters.count - 1))
        let after = remove(cursor..<cursor + 1)
        let before = remove(cursor - 1..<cursor)
        return insert(after + before)
    }

    /// The start of the word before the cursor.
    func wordStart(_ isInWord: (Character) -> Bool = { $0.isLetter || $0.isNumber }) -> Int {
        var place = cursor
        while place > 0, !isInWord(characters[place - 1]) { place -= 1 }
        while place > 0, isInWord(characters[place - 1]) { place -= 1 }
        return place
    }

    /// The end of the word after the cursor.
    func wordEnd(_ isInWord: (Character) -> Bool = { $0.isLetter || $0.isNumber }) -> Int {
        var place = cursor
        while place < characters.count, !isInWord(characters[place]) { place += 1 }
        while place < characters.count, isInWord(characters[place]) { place += 1 }
        return place
    }
}
