// script-list-generator MODULE OUTPUT FILE...: writes a Swift file that lists the scripts of a module.
//
// The build plugin ScriptCatalog runs it.

import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

func fail(_ path: String, _ problem: String) -> Never {
    // The format of compilers, so that editors and Xcode find the file.
    print("\(path):1:1: error: \(problem)")
    exit(1)
}

func typeName(ofScriptAt path: String) -> String {
    let name = String(path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
    guard name.wholeMatch(of: /[\p{L}_][\p{L}\p{N}_]*/) != nil else {
        fail(
            path,
            "\"\(name)\" isn't a valid type name; name the file after its script, such as PlusPlus.swift")
    }
    guard let source = try? String(contentsOfFile: path, encoding: .utf8) else {
        fail(path, "the file can't be read as UTF-8 text")
    }
    let declarations = source.matches(of: /\b(?:struct|class|enum|actor|typealias)\s+`?([\p{L}_][\p{L}\p{N}_]*)/)
    guard declarations.contains(where: { $0.1 == name }) else {
        fail(
            path,
            "no type \(name) is declared here; name the file after its script, or, if there is no script in it, move it to a subdirectory"
        )
    }
    return name
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: script-list-generator MODULE OUTPUT FILE...")
    exit(64)
}
let (module, output) = (arguments[1], arguments[2])
let names = arguments.dropFirst(3).sorted().map(typeName(ofScriptAt:))
let variable = module.prefix(1).lowercased() + module.dropFirst()
let lines = names.map { "    \($0)(),\n" }.joined()
let catalog = """
    public import Heybot

    /// Every script in this module, in order of the files' names.
    public let \(variable): [any Script] = [
    \(lines)]

    """
do {
    try catalog.write(toFile: output, atomically: true, encoding: .utf8)
} catch {
    fail(output, "the file can't be written: \(error)")
}
