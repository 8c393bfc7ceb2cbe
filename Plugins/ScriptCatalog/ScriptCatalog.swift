import PackagePlugin

/// Lists the scripts of a target, so that adding a file to it is the only edit.
///
/// Every Swift file right in the target's folder is a script, named like its type; files in folders below it help them.
/// A target named `Scripts` gets `public let scripts: [any Script]`, in order of the files' names.
@main
struct ScriptCatalog: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "ScriptCatalog.swift")
        // All files are inputs: SwiftPM then has nothing to say about those it doesn't compile (scripts in JavaScript).
        let files = module.sourceFiles.map(\.url)
        // The folder may be a link to where the scripts are.
        let folder = module.directoryURL.resolvingSymlinksInPath().path
        let scripts = files.filter {
            $0.pathExtension == "swift" && $0.deletingLastPathComponent().resolvingSymlinksInPath().path == folder
        }
        return [
            .buildCommand(
                displayName: "Listing the scripts of \(target.name)",
                executable: try context.tool(named: "script-catalog").url,
                arguments: [module.moduleName, output.path(percentEncoded: false)]
                    + scripts.map { $0.path(percentEncoded: false) },
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
