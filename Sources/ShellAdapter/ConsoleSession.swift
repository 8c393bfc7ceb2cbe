/// What is on the terminal, and what happens to it; on the console's thread alone.
struct ConsoleSession: ~Copyable {
    private let setup: Console.Setup
    private let terminal: Terminal
    private let console: Console
    private let plainPrompt: String
    private var file: HistoryFile?
    private var decoder = KeyDecoder()
    private var editor: LineEditor
    private var screen = Screen()
    private var needsDrawing = false
    /// Whether the terminal is another job's for now.
    private var isSuspended = true
    private var hasLeft = false
    private var complaint: String?

    init(_ setup: Console.Setup, _ terminal: consuming Terminal, _ console: Console) {
        self.setup = setup
        self.terminal = terminal
        self.console = console
        plainPrompt = setup.robotName + "> "
        let size = max(setup.options.historySize, 0)
        var lines: [String] = []
        if size > 0, let path = setup.options.historyFile {
            var file = HistoryFile(path: path, size: size)
            do throws(HistoryFile.Trouble) {
                lines = try file.load()
                self.file = file
            } catch {
                complaint = "\(error)"
            }
        }
        editor = LineEditor(history: History(size: size, lines))
    }

    private var prompt: [Glyph] { editor.prompt(plainPrompt).glyphs }

    mutating func run() throws(ShellError) {
        if terminal.isForeground { try resume() }
        while true {
            for job in console.takeJobs() { try perform(job) }
            if let complaint, !isSuspended {
                try show(TerminalText.safe(complaint))
                self.complaint = nil
            }
            if hasLeft { return }
            try draw()
            try listen()
        }
    }

    /// Leaves the terminal as it was found, on a fresh line.
    mutating func end() {
        console.setPrompt(isShown: false)
        guard !isSuspended else { return }
        isSuspended = true
        if screen.isShowing { try? terminal.write(screen.finish(prompt: prompt, editor.line)) }
        terminal.restore()
    }

    private mutating func perform(_ job: Console.Job) throws(ShellError) {
        switch job {
        case .leave: hasLeft = true
        case .show(let text): try show(TerminalText.safe(text, keepsColors: true))
        case .say(let text, let written):
            do throws(ShellError) {
                try show(answer(text))
                written.finish()
            } catch {
                written.finish(throwing: error)
                throw error
            }
        }
    }

    private func answer(_ text: String) -> String {
        let harmless = WordWrap.text(TerminalText.safe(text), columns: terminal.size.columns)
        guard setup.options.colors, !isSuspended else { return harmless }
        return harmless.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "\u{1b}[32m\($0)\u{1b}[0m" }
            .joined(separator: "\n")
    }

    /// Prints harmless text above the prompt.
    private mutating func show(_ text: String) throws(ShellError) {
        guard !isSuspended else { return try terminal.write(text + "\n") }
        screen.size = terminal.size
        try terminal.write(screen.print(text))
        needsDrawing = true
    }

    private mutating func draw() throws(ShellError) {
        guard needsDrawing, !isSuspended else { return }
        screen.size = terminal.size
        try terminal.write(screen.draw(prompt: prompt, editor.line))
        needsDrawing = false
    }

    private mutating func finish(mark: String = "") throws(ShellError) {
        screen.size = terminal.size
        try terminal.write(screen.finish(prompt: prompt, editor.line, mark: mark))
        needsDrawing = true
    }

    // MARK: Input

    private mutating func listen() throws(ShellError) {
        // Another job may give us the terminal back without a word.
        let patience: Int32? = isSuspended ? 250 : decoder.isWaiting ? 50 : nil
        let event = terminal.wait(milliseconds: patience, withInput: !isSuspended)
        if isSuspended {
            if terminal.isForeground { try resume() }
            return
        }
        if event.isContinued { try comeBack() }
        if terminal.size != screen.size { needsDrawing = true }
        guard event.hasInput, !isSuspended else {
            if event.isTimeout { try press(decoder.flush()) }
            return
        }
        guard let bytes = try terminal.read() else { return hasLeft = true }
        if !terminal.isRaw { try resume() }
        try press(decoder.decode(bytes))
    }

    private mutating func press(_ keys: [Key]) throws(ShellError) {
        for key in keys where !hasLeft {
            needsDrawing = true
            try perform(editor.press(key))
        }
    }

    private mutating func perform(_ action: LineEditor.Action) throws(ShellError) {
        switch action {
        case .none: break
        case .bell: try terminal.write("\u{7}")
        case .submit(let text): try submit(text)
        case .abandon:
            try finish(mark: "^C")
            editor.begin()
        case .complete: try complete()
        case .clear:
            screen.forget()
            try terminal.write("\u{1b}[H\u{1b}[2J")
        case .suspend: try suspend()
        case .leave:
            try finish()
            hasLeft = true
        }
    }

    /// Hands in a line, or each of several that were pasted, as if each had been typed.
    private mutating func submit(_ text: String) throws(ShellError) {
        try finish()
        defer { if !hasLeft { editor.begin() } }
        for line in text.split(separator: "\n") where !hasLeft { try submit(line: String(line)) }
    }

    private mutating func submit(line text: String) throws(ShellError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return }
        if ShellAdapter.takesLeave(text) { return hasLeft = true }
        if words.count == 1, words[0].lowercased() == "history" {
            let lines = editor.history.numbered.map {
                TerminalText.safe($0.split(separator: "\n").joined(separator: "↵"))
            }
            return lines.isEmpty ? () : try show(lines.joined(separator: "\n"))
        }
        if editor.remember(text) { save(text) }
        setup.lines.yield(text)
    }

    private mutating func save(_ text: String) {
        guard file != nil else { return }
        do throws(HistoryFile.Trouble) {
            try file?.append(text)
        } catch {
            // Once is enough; the history of this run goes on.
            complaint = "\(error)"
            file = nil
        }
    }

    private mutating func complete() throws(ShellError) {
        let usages = Completion.expanded(setup.usages(), choices: setup.options.choices) + ["exit", "history"]
        switch Completion.of(editor.line.textToCursor, usages: usages, robotName: setup.robotName) {
        case .none: try terminal.write("\u{7}")
        case .replacement(let count, let text): try perform(editor.replace(last: count, with: text))
        case .choices(let choices):
            try show(TerminalText.safe(Completion.columns(choices, width: terminal.size.columns)))
        }
    }

    // MARK: Jobs of the shell we were started from

    private mutating func suspend() throws(ShellError) {
        try finish()
        terminal.restore()
        isSuspended = true
        console.setPrompt(isShown: false)
        terminal.stop()
        if terminal.isForeground { try resume() }
    }

    private mutating func resume() throws(ShellError) {
        try terminal.makeRaw()
        isSuspended = false
        needsDrawing = true
        screen.forget()
        console.setPrompt(isShown: true)
    }

    /// Goes on after it was stopped from outside, with the terminal in whatever state.
    private mutating func comeBack() throws(ShellError) {
        if terminal.isForeground { return try resume() }
        terminal.letGo()
        screen.forget()
        isSuspended = true
        console.setPrompt(isShown: false)
    }
}
