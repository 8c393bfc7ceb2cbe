import PackagePlugin

/// Embeds the files of a target that aren't Swift in it, as strings.
///
/// `.embedInCode` makes an array of bytes from each file, which takes the compiler much longer than a string.
@main
struct TextEmbedding: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedText.swift")
        let files = module.sourceFiles.map(\.url).filter { $0.pathExtension != "swift" }
        return [
            .buildCommand(
                displayName: "Embedding the texts of \(target.name)",
                executable: try context.tool(named: "source-generator").url,
                arguments: ["texts", output.path(percentEncoded: false)] + files.map { $0.path(percentEncoded: false) },
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
