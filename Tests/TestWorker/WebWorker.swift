import CurlClient
import Foundation
import Heybot
import Logging

enum WebWorker {
    static func ask(_ url: String) async {
        let client = CurlHTTPClient(logger: Logger(label: "test-worker") { _ in SwiftLogNoOpLogHandler() })
        print(hasLibcurl)
        do {
            print(try await client.get(url).status)
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
