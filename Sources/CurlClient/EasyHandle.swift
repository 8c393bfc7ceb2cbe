import CCurl
import Synchronization

/// A request as libcurl has it, with all that has to live as long; for the driver's thread alone.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let census: Census
    private var list: UnsafeMutablePointer<curl_slist>?

    init?(_ census: Census) {
        guard let pointer = heybot_curl_init() else { return nil }
        self.pointer = pointer
        self.census = census
        census.handles.add(1, ordering: .relaxed)
    }

    deinit {
        heybot_curl_cleanup(pointer)
        heybot_curl_list_free(list)
        census.handles.subtract(1, ordering: .relaxed)
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlProblem) {
        try check(heybot_curl_set_long(pointer, option, value))
    }

    /// A text, of which libcurl keeps a copy; nil for none, also if there is one unless told otherwise.
    func set(_ option: CURLoption, _ text: String?) throws(CurlProblem) {
        try check(heybot_curl_set_pointer(pointer, option, text))
    }

    func set(_ option: CURLoption, context: UnsafeMutableRawPointer) throws(CurlProblem) {
        try check(heybot_curl_set_pointer(pointer, option, context))
    }

    func set(_ option: CURLoption, _ function: heybot_curl_data) throws(CurlProblem) {
        try check(heybot_curl_set_data(pointer, option, function))
    }

    /// Has a body sent, of which libcurl keeps a copy.
    func set(body: [UInt8]) throws(CurlProblem) {
        try check(heybot_curl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        // An address even if there are no bytes: none would mean that there is no body.
        let bytes = body.isEmpty ? [0] : body
        try check(bytes.withUnsafeBytes { heybot_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
    }

    /// Asks when a connection is to be opened, and when a request is to go over one.
    func set(
        open: @escaping curl_opensocket_callback, ready: @escaping curl_prereq_callback,
        context: UnsafeMutableRawPointer
    ) throws(CurlProblem) {
        try check(heybot_curl_set_open(pointer, open))
        try set(CURLOPT_OPENSOCKETDATA, context: context)
        try check(heybot_curl_set_ready(pointer, ready))
        try set(CURLOPT_PREREQDATA, context: context)
    }

    /// Adds a line to the header.
    func add(header line: String) throws(CurlProblem) {
        guard let longer = heybot_curl_list_append(list, line) else { throw CurlProblem(CURLE_OUT_OF_MEMORY) }
        list = longer
        try check(heybot_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, list))
    }

    func number(_ info: CURLINFO) -> Int { heybot_curl_long(pointer, info) }

    func text(_ info: CURLINFO) -> String? { heybot_curl_text(pointer, info).map { String(cString: $0) } }

    private func check(_ result: CURLcode) throws(CurlProblem) {
        guard result == CURLE_OK else { throw CurlProblem(result) }
    }
}
