/// Returns a Swift file that lists the scripts of a module, and the texts of the regex literals that the listeners in all its files
/// are registered with.
func scriptList(of module: String, _ scripts: [SourceFile], _ others: [SourceFile]) -> String {
    let declarations = scripts.map { $0.scriptDeclaration() }
    let patterns = (scripts + others).flatMap { file in
        file.patternTexts().filter { !$0.text.contains("\"###") }.map { pattern in
            "    \"\(module)/\(file.name):\(pattern.line):\(pattern.column)\": ###\"\(pattern.text)\"###,\n"
        }
    }
    let variable = module.prefix(1).lowercased() + module.dropFirst()
    var catalog = """
        public import Heybot

        /// Every script in this module, in order of the files' names.
        public let \(variable): [any Script] = [
        \(declarations.map { "    \($0.type)(),\n" }.joined())]

        """
    if !patterns.isEmpty {
        // A typealias gets no extension, because two of them may be the same type.
        let extensions = declarations.filter { !$0.isAlias }.map {
            "extension \($0.type) {\n    public var patternTexts: [String: String] { \(variable)PatternTexts }\n}\n\n"
        }
        catalog += """

            /// The texts of the regex literals of the listeners in this module, by place.
            private let \(variable)PatternTexts: [String: String] = [
            \(patterns.joined())]

            \(extensions.joined())
            """
    }
    return catalog
}
