import CCurl
import Heybot
import Synchronization

/// Passes requests to the thread that runs them all, which starts with the first request.
final class CurlEngine: Sendable {
    enum Command {
        case start(PendingHTTPRequest)
        case cancel(PendingHTTPRequest)
    }

    /// libcurl's multi handle.
    ///
    /// Sharing it is safe: only the engine's thread uses it, except for waking it, which libcurl allows from any thread.
    struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private struct State {
        var isClosed = false
        var commands: [Command] = []
        /// The thread and its multi handle, once it runs.
        var running: (thread: heybot_curl_thread, multi: MultiHandle)?

        func wake() {
            if let running { heybot_curl_multi_wake(running.multi.pointer) }
        }
    }

    let configuration: CurlHTTPClient.Configuration
    let leaks = LeakCounter()
    private let state = Mutex(State())

    init(_ configuration: CurlHTTPClient.Configuration) {
        self.configuration = configuration
    }

    /// Starts a request.
    ///
    /// The caller is resumed in any case.
    func start(_ pending: PendingHTTPRequest, for caller: CheckedContinuation<HTTPResponse, any Error>) {
        pending.caller = caller
        do {
            try state.withLock { state in
                if state.isClosed { throw CancellationError() }
                if state.running == nil { state.running = try run(for: pending.request.host) }
                state.commands.append(.start(pending))
                state.wake()
            }
        } catch {
            pending.end(.failure(error))
        }
    }

    /// Cancels a request, started or not.
    ///
    /// This has no effect on one that has finished.
    func cancel(_ pending: PendingHTTPRequest) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(.cancel(pending))
            state.wake()
        }
    }

    /// Cancels all requests, and waits for the thread to end.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            state.wake()
            return state.running.take()
        }
        if let running { heybot_curl_thread_end(running.thread) }
    }

    /// Returns the pending commands, and whether the engine is closed.
    func takeCommands() -> (commands: [Command], isClosed: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }

    /// Starts the thread.
    private func run(for host: String) throws(HTTPError) -> (heybot_curl_thread, MultiHandle) {
        var reason = [CChar](repeating: 0, count: 512)
        guard heybot_curl_load(&reason, reason.count) else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw HTTPError(.noClient, host: host, "install libcurl4, version 7.88 or newer (\(text))")
        }
        guard let pointer = heybot_curl_multi_init() else { throw CurlError(CURLE_OUT_OF_MEMORY).error(host) }
        let multi = MultiHandle(pointer: pointer)
        _ = heybot_curl_multi_set(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(configuration.connections, 1))
        var thread = heybot_curl_thread()
        let work = Unmanaged.passRetained(CurlEventLoop(self, multi))
        let isStarted = heybot_curl_thread_start(
            &thread, { if let context = $0 { Unmanaged<CurlEventLoop>.fromOpaque(context).takeRetainedValue().run() } },
            work.toOpaque())
        guard isStarted else {
            work.release()
            heybot_curl_multi_cleanup(pointer)
            throw HTTPError(.noClient, host: host, "no thread could be started")
        }
        return (thread, multi)
    }
}

/// Counts resources that must be released, so that tests find leaks.
final class LeakCounter: Sendable {
    /// The number of requests in progress.
    let requests = Atomic(0)
    /// The number of libcurl's easy handles.
    let handles = Atomic(0)

    /// Whether all resources have been released.
    var isEmpty: Bool { requests.load(ordering: .relaxed) == 0 && handles.load(ordering: .relaxed) == 0 }
}
