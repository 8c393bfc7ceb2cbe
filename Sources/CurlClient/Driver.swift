import CCurl
import Heybot
import Synchronization

/// Hands transfers over to the one thread that does them all, which begins with the first.
final class Driver: Sendable {
    enum Message {
        case start(Transfer)
        case cancel(Transfer)
    }

    /// libcurl's own of all transfers.
    ///
    /// It may be shared: but for waking it, which libcurl allows every thread, only the driver's thread uses it.
    struct Multi: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private struct State {
        var isClosed = false
        var messages: [Message] = []
        /// What runs, once it does.
        var running: (thread: heybot_curl_thread, multi: Multi)?

        func wake() {
            if let running { heybot_curl_multi_wake(running.multi.pointer) }
        }
    }

    let configuration: CurlHTTPClient.Configuration
    let census = Census()
    private let state = Mutex(State())

    init(_ configuration: CurlHTTPClient.Configuration) {
        self.configuration = configuration
    }

    /// Does a transfer; whoever waits is told in any case.
    func start(_ transfer: Transfer, for caller: CheckedContinuation<HTTPResponse, any Error>) {
        transfer.caller = caller
        do {
            try state.withLock { state in
                if state.isClosed { throw CancellationError() }
                if state.running == nil { state.running = try run(for: transfer.request.host) }
                state.messages.append(.start(transfer))
                state.wake()
            }
        } catch {
            transfer.end(.failure(error))
        }
    }

    /// Breaks a transfer off, also one that hasn't begun; does nothing to one that is over.
    func cancel(_ transfer: Transfer) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.messages.append(.cancel(transfer))
            state.wake()
        }
    }

    /// Breaks all off, and waits for the thread to end.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            state.wake()
            return state.running.take()
        }
        if let running { heybot_curl_thread_end(running.thread) }
    }

    /// What is to be done now, and whether that is all.
    func take() -> (messages: [Message], isClosed: Bool) {
        state.withLock { state in
            defer { state.messages = [] }
            return (state.messages, state.isClosed)
        }
    }

    /// Starts the thread.
    private func run(for host: String) throws(HTTPError) -> (heybot_curl_thread, Multi) {
        var reason = [CChar](repeating: 0, count: 512)
        guard heybot_curl_load(&reason, reason.count) else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw HTTPError(.noClient, host: host, "install libcurl4, of version 7.88 or newer (\(text))")
        }
        guard let pointer = heybot_curl_multi_init() else { throw CurlProblem(CURLE_OUT_OF_MEMORY).error(host) }
        let multi = Multi(pointer: pointer)
        _ = heybot_curl_multi_set(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(configuration.connections, 1))
        var thread = heybot_curl_thread()
        let work = Unmanaged.passRetained(DriverThread(self, multi))
        let isStarted = heybot_curl_thread_start(
            &thread, { if let context = $0 { Unmanaged<DriverThread>.fromOpaque(context).takeRetainedValue().run() } },
            work.toOpaque())
        guard isStarted else {
            work.release()
            heybot_curl_multi_cleanup(pointer)
            throw HTTPError(.noClient, host: host, "the system has no thread for it")
        }
        return (thread, multi)
    }
}

/// How much a client holds of what must be given back.
final class Census: Sendable {
    /// Requests that are on their way.
    let transfers = Atomic(0)
    /// What libcurl has of them.
    let handles = Atomic(0)

    /// Whether there is nothing.
    var isEmpty: Bool { transfers.load(ordering: .relaxed) == 0 && handles.load(ordering: .relaxed) == 0 }
}
