// source-generator scripts MODULE OUTPUT SCRIPT... -- FILE...: writes a Swift file that lists the scripts of a module, and the
// texts of the regex literals that the listeners in all these files are registered with, for the build plugin ScriptCatalog.
//
// source-generator texts OUTPUT FILE...: writes a Swift file with the texts of other files, for the build plugin TextEmbedding.

import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

let usage = "usage: source-generator scripts MODULE OUTPUT SCRIPT... -- FILE... | texts OUTPUT FILE..."
var arguments = CommandLine.arguments.dropFirst()
let (output, source): (String, String)
switch (arguments.popFirst(), arguments.popFirst(), arguments.first) {
case ("texts", let path?, _): (output, source) = (path, embeddedText(arguments.sorted().map(SourceFile.init)))
case ("scripts", let module?, let path?):
    let paths = arguments.dropFirst().split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    let files = paths.map { $0.sorted().map(SourceFile.init) }
    (output, source) = (path, scriptList(of: module, files.first ?? [], files.dropFirst().first ?? []))
default:
    print(usage)
    exit(64)
}
do {
    try source.write(toFile: output, atomically: true, encoding: .utf8)
} catch {
    fail(output, "the file can't be written: \(error)")
}
