import CCurl
import Synchronization

/// libcurl's easy handle for a request, with its memory.
///
/// Only the engine's thread uses it.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let leaks: LeakCounter
    private var list: UnsafeMutablePointer<curl_slist>?

    init?(_ leaks: LeakCounter) {
        guard let pointer = heybot_curl_init() else { return nil }
        self.pointer = pointer
        self.leaks = leaks
        leaks.handles.add(1, ordering: .relaxed)
    }

    deinit {
        heybot_curl_cleanup(pointer)
        heybot_curl_list_free(list)
        leaks.handles.subtract(1, ordering: .relaxed)
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(heybot_curl_set_long(pointer, option, value))
    }

    /// Sets a text, which libcurl copies.
    ///
    /// Nil unsets the option, including its default.
    func set(_ option: CURLoption, _ text: String?) throws(CurlError) {
        try check(heybot_curl_set_pointer(pointer, option, text))
    }

    func set(_ option: CURLoption, context: UnsafeMutableRawPointer) throws(CurlError) {
        try check(heybot_curl_set_pointer(pointer, option, context))
    }

    func set(_ option: CURLoption, _ function: heybot_curl_data) throws(CurlError) {
        try check(heybot_curl_set_data(pointer, option, function))
    }

    /// Sets the body, which libcurl copies.
    func set(body: [UInt8]) throws(CurlError) {
        try check(heybot_curl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // Without bytes there must still be an address: a null pointer would mean that there is no body.
        let bytes = body.isEmpty ? [0] : body
        try check(bytes.withUnsafeBytes { heybot_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
    }

    /// Sets the callbacks that allow a connection to be opened, and a request to be sent on one.
    func set(
        open: @escaping curl_opensocket_callback, ready: @escaping curl_prereq_callback,
        context: UnsafeMutableRawPointer
    ) throws(CurlError) {
        try check(heybot_curl_set_open(pointer, open))
        try set(CURLOPT_OPENSOCKETDATA, context: context)
        try check(heybot_curl_set_ready(pointer, ready))
        try set(CURLOPT_PREREQDATA, context: context)
    }

    /// Adds a header line.
    func add(header line: String) throws(CurlError) {
        guard let longer = heybot_curl_list_append(list, line) else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        list = longer
        try check(heybot_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, list))
    }

    func number(_ info: CURLINFO) -> Int { heybot_curl_long(pointer, info) }

    func text(_ info: CURLINFO) -> String? { heybot_curl_text(pointer, info).map { String(cString: $0) } }

    private func check(_ result: CURLcode) throws(CurlError) {
        guard result == CURLE_OK else { throw CurlError(result) }
    }
}
