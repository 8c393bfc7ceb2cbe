import CCurl
import Heybot

/// The engine's event loop, with the state that only its thread uses.
final class CurlEventLoop {
    private let engine: CurlEngine
    private let multi: UnsafeMutableRawPointer
    /// The running requests, by libcurl's handle.
    private var live: [UnsafeMutableRawPointer: PendingHTTPRequest] = [:]
    /// The requests that wait for a connection, in order.
    private var waiting: [(pending: PendingHTTPRequest, request: HTTPRequest, host: String)] = []
    /// The number of running requests per host.
    private var running: [String: Int] = [:]

    init(_ engine: CurlEngine, _ multi: CurlEngine.MultiHandle) {
        self.engine = engine
        self.multi = multi.pointer
    }

    /// Runs requests until the engine is closed.
    func run() {
        while runCommands() {
            expire()
            var result = heybot_curl_multi_perform(multi)
            finishCompleted()
            startWaiting()
            // It returns at once if it was woken in the meantime.
            if result == CURLM_OK { result = heybot_curl_multi_poll(multi, pollTimeout) }
            if result != CURLM_OK { failAll { CurlError(CURLE_FAILED_INIT).error($0.request.host) } }
        }
        failAll { _ in CancellationError() }
        heybot_curl_multi_cleanup(multi)
    }

    /// Executes pending commands; false if the engine is closed.
    private func runCommands() -> Bool {
        let (commands, isClosed) = engine.takeCommands()
        for command in commands {
            switch command {
            case .start(let pending): begin(pending, pending.request)
            case .cancel(let pending):
                // It may not have started.
                pending.isCancelled = true
                if pending.transfer != nil || stopWaiting(pending) {
                    end(pending, .failure(CancellationError()))
                }
            }
        }
        startWaiting()
        return !isClosed
    }

    private func begin(_ pending: PendingHTTPRequest, _ request: HTTPRequest) {
        if pending.isCancelled { return end(pending, .failure(CancellationError())) }
        waiting.append((pending, request, WebURL(request.url)?.host ?? ""))
    }

    /// Removes a request from the queue; false if it isn't waiting.
    private func stopWaiting(_ pending: PendingHTTPRequest) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.pending === pending }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Starts waiting requests, within the limits for connections and hosts.
    ///
    /// libcurl has a queue too, but one for all hosts: requests to a host that doesn't respond would block the others.
    private func startWaiting() {
        let limit = engine.configuration
        var left: [(pending: PendingHTTPRequest, request: HTTPRequest, host: String)] = []
        for next in waiting {
            if live.count < max(limit.connections, 1), running[next.host, default: 0] < limit.requestsPerHost {
                start(next.pending, next.request, to: next.host)
            } else {
                left.append(next)
            }
        }
        waiting = left
    }

    private func start(_ pending: PendingHTTPRequest, _ request: HTTPRequest, to host: String) {
        do {
            let transfer = try CurlEasyTransfer(request, engine.configuration, engine.leaks)
            guard heybot_curl_multi_add(multi, transfer.handle.pointer) == CURLM_OK else {
                throw CurlError(CURLE_FAILED_INIT).error(request.host)
            }
            pending.transfer = transfer
            live[transfer.handle.pointer] = pending
            running[host, default: 0] += 1
        } catch {
            end(pending, .failure(error))
        }
    }

    /// Fails the requests whose deadline has passed.
    private func expire() {
        let now = ContinuousClock.now
        let late = (live.values + waiting.map(\.pending)).filter { $0.deadline <= now }
        for pending in late {
            _ = stopWaiting(pending)
            end(pending, .failure(HTTPError(.timeout, host: pending.host, "over \(pending.request.deadline)")))
        }
    }

    /// The number of milliseconds until the next deadline.
    private var pollTimeout: Int32 {
        let deadlines = [live.values.lazy.map(\.deadline).min(), waiting.lazy.map(\.pending.deadline).min()]
        let next = deadlines.compactMap { $0 }.min()
        return Int32(clamping: next.map { ContinuousClock.now.duration(to: $0).milliseconds } ?? .max)
    }

    /// Processes the requests that libcurl has finished.
    private func finishCompleted() {
        var result = CURLE_OK
        while let handle = heybot_curl_multi_next_done(multi, &result) {
            guard let pending = live[handle], let transfer = pending.transfer else { continue }
            do throws(HTTPError) {
                switch try transfer.outcome(result) {
                case .answer(let response): end(pending, .success(response))
                case .redirect(let request):
                    detach(pending)
                    begin(pending, request)
                }
            } catch {
                end(pending, .failure(error))
            }
        }
    }

    private func failAll(_ error: (PendingHTTPRequest) -> any Error) {
        let all = live.values + waiting.map(\.pending)
        waiting = []
        for pending in all { end(pending, .failure(error(pending))) }
    }

    private func end(_ pending: PendingHTTPRequest, _ result: Result<HTTPResponse, any Error>) {
        detach(pending)
        pending.end(result)
    }

    /// Removes a request's transfer from libcurl.
    private func detach(_ pending: PendingHTTPRequest) {
        guard let transfer = pending.transfer else { return }
        heybot_curl_multi_remove(multi, transfer.handle.pointer)
        live[transfer.handle.pointer] = nil
        let others = running[transfer.host, default: 1] - 1
        running[transfer.host] = others > 0 ? others : nil
        pending.transfer = nil
    }
}
