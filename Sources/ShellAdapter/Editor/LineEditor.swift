/// Edits a line: takes keys and returns actions.
struct LineEditor: Sendable {
    /// The action of a key, besides a change of the line.
    enum Action: Equatable, Sendable {
        /// Nothing else; the line may have changed.
        case none
        /// The key has no effect here.
        case bell
        /// The line is submitted. The cursor is at its end; ``begin()`` starts the next line.
        case submit(String)
        /// The line is abandoned. The cursor is at its end; ``begin()`` starts the next line.
        case abandon
        case complete
        case clear
        case suspend
        /// The chat ends.
        case quit
        /// The program ends.
        case interrupt
    }

    private(set) var line = EditBuffer()
    private(set) var history: History
    private(set) var search: Search?
    /// The index of the shown line in the history.
    ///
    /// The index after the last is the new line.
    private var position: Int
    /// Edited lines, by their index in the history.
    private var edited: [Int: EditBuffer] = [:]
    private var killed = ""
    /// The states of the line before each change, latest last.
    private var changes: [EditBuffer] = []
    private var lastKey: Key?
    private static let maxChanges = 200

    init(history: History) {
        self.history = history
        position = history.lines.count
    }

    /// Starts with an empty line.
    mutating func begin() {
        line = EditBuffer()
        search = nil
        edited = [:]
        changes = []
        lastKey = nil
        position = history.lines.count
    }

    /// Adds a line to the history.
    ///
    /// Call ``begin()`` afterwards.
    ///
    /// - Returns: False if the line wasn't added.
    mutating func remember(_ text: String) -> Bool {
        history.add(text)
    }

    /// Replaces the last characters before the cursor.
    mutating func replace(last count: Int, with text: String) -> Action {
        saveForUndo(line)
        line.remove(max(line.cursor - count, 0)..<line.cursor)
        return insert(text)
    }

    mutating func press(_ key: Key) -> Action {
        defer { lastKey = key }
        if search == nil, key == .control("_") { return undo() }
        let (before, place) = (line, position)
        let action = search != nil ? handleSearchKey(key) : edit(key)
        if search != nil || position != place {
            changes = []
        } else if line.characters != before.characters, !continuesWord(key) {
            saveForUndo(before)
        }
        return action
    }

    /// Saves the state before a change for undo.
    ///
    /// Fewer states are saved of long lines.
    private mutating func saveForUndo(_ before: EditBuffer) {
        let limit = min(Self.maxChanges, 100_000 / (before.characters.count + 1))
        changes = changes.suffix(limit) + [before]
    }

    /// Whether the key continues a word.
    ///
    /// A word is undone as a whole.
    private func continuesWord(_ key: Key) -> Bool {
        guard case .text(let text) = key, case .text(let last) = lastKey, !changes.isEmpty else { return false }
        return !text.contains(where: \.isWhitespace) || last.last?.isWhitespace == true
    }

    private mutating func undo() -> Action {
        guard let before = changes.popLast() else { return .bell }
        line = before
        return .none
    }

    private mutating func edit(_ key: Key) -> Action {
        switch key {
        case .text(let text), .paste(let text): return insert(text)
        case .enter:
            line.move(to: line.characters.count)
            return .submit(line.text)
        case .tab: return .complete
        case .escape: return .none
        case .backspace: return remove(line.cursor - 1..<line.cursor)
        case .delete: return remove(line.cursor..<line.cursor + 1)
        case .up: return recall(position - 1)
        case .down: return recall(position + 1)
        case .left: line.move(to: line.cursor - 1)
        case .right: line.move(to: line.cursor + 1)
        case .home: line.move(to: 0)
        case .end: line.move(to: line.characters.count)
        case .wordLeft: line.move(to: line.wordStart())
        case .wordRight: line.move(to: line.wordEnd())
        case .control(let letter): return control(letter)
        case .alt(let letter): return alt(letter)
        }
        return .none
    }

    private mutating func control(_ letter: Character) -> Action {
        switch letter {
        case "a": return edit(.home)
        case "b": return edit(.left)
        case "c":
            guard !line.isEmpty else { return .interrupt }
            line.move(to: line.characters.count)
            return .abandon
        case "d": return line.isEmpty ? .quit : edit(.delete)
        case "e": return edit(.end)
        case "f": return edit(.right)
        case "k": return kill(line.cursor..<line.characters.count)
        case "l": return .clear
        case "n": return edit(.down)
        case "p": return edit(.up)
        case "r": search = Search(before: line)
        case "t": return line.transpose() ? .none : .bell
        case "u": return kill(0..<line.cursor)
        case "w": return kill(line.wordStart { !$0.isWhitespace }..<line.cursor)
        case "y": return insert(killed)
        case "z": return .suspend
        default: break
        }
        return .none
    }

    private mutating func alt(_ letter: Character) -> Action {
        switch letter {
        case "b", "B": return edit(.wordLeft)
        case "f", "F": return edit(.wordRight)
        case "d", "D": return kill(line.cursor..<line.wordEnd())
        case "\u{7f}": return kill(line.wordStart()..<line.cursor)
        default: return .none
        }
    }

    private mutating func insert(_ text: String) -> Action {
        line.insert(text) ? .none : .bell
    }

    private mutating func remove(_ range: Range<Int>) -> Action {
        guard range.lowerBound >= 0, range.upperBound <= line.characters.count else { return .bell }
        line.remove(range)
        return .none
    }

    private mutating func kill(_ range: Range<Int>) -> Action {
        guard !range.isEmpty else { return .bell }
        killed = line.remove(range)
        return .none
    }

    private mutating func recall(_ wanted: Int) -> Action {
        guard wanted >= 0, wanted <= history.lines.count else { return .bell }
        edited[position] = line
        position = wanted
        line = edited[wanted] ?? EditBuffer(wanted < history.lines.count ? history.lines[wanted] : "")
        line.move(to: line.characters.count)
        return .none
    }
}

extension LineEditor {
    /// An incremental search back through the history.
    struct Search: Equatable, Sendable {
        /// The line before the search, for cancelling.
        let before: EditBuffer
        fileprivate(set) var text = ""
        fileprivate(set) var hasFailed = false
        /// The index of the shown line in the history; nil if there is no match yet.
        fileprivate var match: Int?

        init(before: EditBuffer) {
            self.before = before
        }
    }

    /// The prompt before the line.
    func prompt(_ plain: String) -> String {
        guard let search else { return plain }
        return "\(search.hasFailed ? "not found" : "search") '\(search.text)': "
    }

    private mutating func handleSearchKey(_ key: Key) -> Action {
        guard var search else { return .none }
        switch key {
        case .text(let text):
            search.text += text
            return find(search, before: search.match.map { $0 + 1 })
        case .backspace:
            guard !search.text.isEmpty else { return .bell }
            search.text.removeLast()
            return find(search, before: nil)
        case .control("r"):
            return find(search, before: search.match)
        case .control("g"), .control("c"):
            line = search.before
            self.search = nil
            return .none
        default:
            if let match = search.match {
                edited[position] = search.before
                position = match
            }
            self.search = nil
            return key == .escape ? .none : edit(key)
        }
    }

    /// Shows the newest matching line before the index `end`.
    private mutating func find(_ wanted: Search, before end: Int?) -> Action {
        var wanted = wanted
        defer { search = wanted }
        guard !wanted.text.isEmpty else {
            line = wanted.before
            wanted.match = nil
            wanted.hasFailed = false
            return .none
        }
        guard let found = history.last(containing: wanted.text, before: end ?? history.lines.count) else {
            wanted.hasFailed = true
            return .bell
        }
        wanted.hasFailed = false
        wanted.match = found.index
        line = EditBuffer(history.lines[found.index])
        line.move(to: found.offset)
        return .none
    }
}
