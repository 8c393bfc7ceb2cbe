/// Returns a Swift file that lists the scripts of a module, and the texts of the regex literals that the listeners in all its files
/// are registered with.
func scriptList(of module: String, _ scripts: [SourceFile], _ others: [SourceFile]) -> String {
    let types = scripts.map { $0.scriptType() }
    let patterns = (scripts + others).flatMap { file in
        file.patternTexts().filter { !$0.text.contains("\"###") }.map { pattern in
            "        \"\(module)/\(file.name):\(pattern.line):\(pattern.column)\": ###\"\(pattern.text)\"###,\n"
        }
    }
    let variable = module.prefix(1).lowercased() + module.dropFirst()
    // A text is within a function: otherwise each change would have the compiler compile all files of the module again.
    let adding =
        patterns.isEmpty
        ? ""
        : """
            PatternTexts.add([
        \(patterns.joined())    ])

        """
    return """
        public import Heybot

        /// Every script in this module, in order of the files' names.
        public let \(variable): [any Script] = makeScripts()

        /// Adds the texts of the regex literals of the listeners in this module, and returns the scripts.
        private func makeScripts() -> [any Script] {
        \(adding)    return [
        \(types.map { "        \($0)(),\n" }.joined())    ]
        }

        """
}
