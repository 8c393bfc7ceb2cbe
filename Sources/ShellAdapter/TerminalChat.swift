/// A chat in a terminal, used by its thread only: the editor, the screen and the terminal.
struct TerminalChat: ~Copyable {
    private let configuration: TerminalChatThread.Configuration
    private let terminal: Terminal
    private let thread: TerminalChatThread
    private let plainPrompt: String
    private var file: HistoryFile?
    private var decoder = KeyDecoder()
    private var editor: LineEditor
    private var screen = PromptRenderer()
    private var needsDrawing = false
    /// Whether the terminal currently belongs to another job of the shell.
    private var isSuspended = true
    private var hasEnded = false
    /// Whether Ctrl-C has ended it.
    private(set) var wasInterrupted = false
    private var warning: String?

    init(
        _ configuration: TerminalChatThread.Configuration, _ terminal: consuming Terminal, _ thread: TerminalChatThread
    ) {
        self.configuration = configuration
        self.terminal = terminal
        self.thread = thread
        plainPrompt = configuration.robotName + "> "
        let size = max(configuration.options.historySize, 0)
        var lines: [String] = []
        if size > 0, let path = configuration.options.historyFile {
            var file = HistoryFile(path: path, size: size)
            do throws(HistoryFile.FileError) {
                lines = try file.load()
                self.file = file
            } catch {
                warning = "\(error)"
            }
        }
        editor = LineEditor(history: History(size: size, lines))
    }

    private var prompt: [Glyph] { editor.prompt(plainPrompt).glyphs }

    mutating func run() throws(ShellError) {
        if terminal.isForeground { try resume() }
        while true {
            for job in thread.takeJobs() { try perform(job) }
            if let warning, !isSuspended {
                try show(TerminalSanitizer.safe(warning))
                self.warning = nil
            }
            if hasEnded { return }
            try draw()
            try listen()
        }
    }

    /// Restores the terminal, with the cursor on a new line.
    mutating func end() {
        thread.setPrompt(isShown: false)
        guard !isSuspended else { return }
        isSuspended = true
        if screen.isShowing { try? terminal.write(screen.finish(prompt: prompt, editor.line)) }
        terminal.restore()
    }

    private mutating func perform(_ job: TerminalChatThread.Job) throws(ShellError) {
        switch job {
        case .quit: hasEnded = true
        case .show(let text): try show(TerminalSanitizer.safe(text, keepsColors: true))
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
        let safe = WordWrap.text(TerminalSanitizer.safe(text), columns: terminal.size.columns)
        guard configuration.options.colors, !isSuspended else { return safe }
        return safe.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "\u{1b}[32m\($0)\u{1b}[0m" }
            .joined(separator: "\n")
    }

    /// Prints text, which must be safe, above the prompt.
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
        // If another job returns the terminal, this process isn't notified.
        let timeout: Int32? = isSuspended ? 250 : decoder.isWaiting ? 50 : nil
        let result = terminal.wait(milliseconds: timeout, withInput: !isSuspended)
        if isSuspended {
            if terminal.isForeground { try resume() }
            return
        }
        if result.isContinued { try handleContinue() }
        if terminal.size != screen.size { needsDrawing = true }
        guard result.hasInput, !isSuspended else {
            if result.isTimeout { try press(decoder.flush()) }
            return
        }
        guard let bytes = try terminal.read() else { return hasEnded = true }
        if !terminal.isRaw { try resume() }
        try press(decoder.decode(bytes))
    }

    private mutating func press(_ keys: [Key]) throws(ShellError) {
        for key in keys where !hasEnded {
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
        case .quit, .interrupt:
            try finish()
            hasEnded = true
            wasInterrupted = action == .interrupt
        }
    }

    /// Submits a line, or each line of pasted text.
    private mutating func submit(_ text: String) throws(ShellError) {
        try finish()
        defer { if !hasEnded { editor.begin() } }
        for line in text.split(separator: "\n") where !hasEnded { try submit(line: String(line)) }
    }

    private mutating func submit(line text: String) throws(ShellError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return }
        if ShellAdapter.isExitCommand(text) { return hasEnded = true }
        if words.count == 1, words[0].lowercased() == "history" {
            let lines = editor.history.numbered.map {
                TerminalSanitizer.safe($0.split(separator: "\n").joined(separator: "↵"))
            }
            return lines.isEmpty ? () : try show(lines.joined(separator: "\n"))
        }
        if editor.remember(text) { save(text) }
        configuration.lines.yield(text)
    }

    private mutating func save(_ text: String) {
        guard file != nil else { return }
        do throws(HistoryFile.FileError) {
            try file?.append(text)
        } catch {
            // Warn only once. The history of this run is kept in memory.
            warning = "\(error)"
            file = nil
        }
    }

    private mutating func complete() throws(ShellError) {
        let (typed, name) = (editor.line.textToCursor, configuration.robotName)
        let usages = Completion.expanded(
            configuration.usages(), choices: configuration.options.choices, text: typed, robotName: name)
        switch Completion.of(typed, usages: usages + ["exit", "history"], robotName: name) {
        case .none: try terminal.write("\u{7}")
        case .replacement(let count, let text): try perform(editor.replace(last: count, with: text))
        case .choices(let choices):
            try show(TerminalSanitizer.safe(Completion.columns(choices, width: terminal.size.columns)))
        }
    }

    // MARK: Job control

    private mutating func suspend() throws(ShellError) {
        try finish()
        terminal.restore()
        isSuspended = true
        thread.setPrompt(isShown: false)
        terminal.stop()
        if terminal.isForeground { try resume() }
    }

    private mutating func resume() throws(ShellError) {
        try terminal.makeRaw()
        isSuspended = false
        needsDrawing = true
        screen.forget()
        thread.setPrompt(isShown: true)
    }

    /// Continues after SIGCONT.
    ///
    /// The terminal's state is unknown.
    private mutating func handleContinue() throws(ShellError) {
        if terminal.isForeground { return try resume() }
        terminal.release()
        screen.forget()
        isSuspended = true
        thread.setPrompt(isShown: false)
    }
}
