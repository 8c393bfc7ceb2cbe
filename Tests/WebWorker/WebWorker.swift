import CurlClient
import Foundation
import Heybot
import Logging

/// Asks for a URL in a process of its own, and says whether libcurl is there before, what came, and whether it is there
/// after.
@main enum WebWorker {
    static func main() async {
        let client = CurlHTTPClient(logger: Logger(label: "web-worker") { _ in SwiftLogNoOpLogHandler() })
        print(hasLibcurl)
        do {
            print(try await client.get(CommandLine.arguments.last ?? "").status)
        } catch {
            print(error)
        }
        print(hasLibcurl)
        client.close()
    }

    private static var hasLibcurl: Bool {
        dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD) != nil
    }
}
