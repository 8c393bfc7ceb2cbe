/// The submitted lines, oldest first.
struct History: Equatable, Sendable {
    private(set) var lines: [String] = []
    let size: Int

    /// - Parameter size: The number of lines to keep.
    init(size: Int, _ lines: some Sequence<String> = []) {
        self.size = size
        for line in lines { add(line) }
    }

    /// Adds a line.
    ///
    /// - Returns: False if the line wasn't added: it is blank, repeats the last one, or begins with a space, or the size
    ///   is 0.
    @discardableResult
    mutating func add(_ line: String) -> Bool {
        guard size > 0, line.first != " ", line != lines.last, line.contains(where: { !$0.isWhitespace }) else {
            return false
        }
        lines.append(line)
        if lines.count > size { lines.removeFirst() }
        return true
    }

    /// The lines with numbers.
    var numbered: [String] {
        let width = "\(lines.count)".count
        return lines.enumerated().map { index, line in
            let number = "\(index + 1)"
            return String(repeating: " ", count: width - number.count + 1) + number + "  " + line
        }
    }

    /// Returns the newest line before `end` that contains the text, ignoring case, and the offset of the text in it.
    func last(containing text: String, before end: Int) -> (index: Int, offset: Int)? {
        let wanted = Array(text.lowercased())
        for index in lines[..<min(end, lines.count)].indices.reversed() {
            let line = lines[index]
            guard line.utf8.count >= wanted.count else { continue }
            if let found = Array(line.lowercased()).firstRange(of: wanted) { return (index, found.lowerBound) }
        }
        return nil
    }
}
