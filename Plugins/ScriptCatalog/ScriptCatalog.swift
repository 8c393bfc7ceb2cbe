import PackagePlugin

/// Generates the list of a target's scripts, so that adding a file is enough, and the texts of their listeners' patterns, so
/// that the robot needn't evaluate the regex literals at the start.
///
/// Every Swift file directly in the target's directory is a script, named after its type. Files in subdirectories aren't
/// scripts. A target named `Scripts` gets `public let scripts: [any Script]`, in the order of the files' names.
@main
struct ScriptCatalog: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "ScriptCatalog.swift")
        // All files are inputs, so that SwiftPM doesn't warn about those that it doesn't compile.
        let files = module.sourceFiles.map(\.url)
        // The directory may be a symbolic link to the scripts.
        let folder = module.directoryURL.resolvingSymlinksInPath().path
        let sources = files.filter { $0.pathExtension == "swift" }
        let scripts = sources.filter { $0.deletingLastPathComponent().resolvingSymlinksInPath().path == folder }
        let others = sources.filter { !scripts.contains($0) }
        return [
            .buildCommand(
                displayName: "Listing the scripts of \(target.name)",
                executable: try context.tool(named: "source-generator").url,
                arguments: ["scripts", module.moduleName, output.path(percentEncoded: false)]
                    + (scripts.map { $0.path(percentEncoded: false) } + ["--"]
                        + others.map { $0.path(percentEncoded: false) }),
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
