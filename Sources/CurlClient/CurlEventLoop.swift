import CCurl
import Heybot

/// The engine's event loop, with the state that only its thread uses.
final class CurlEventLoop {
    private let engine: CurlEngine
    private let multi: UnsafeMutableRawPointer
    /// The running transfers, by libcurl's handle.
    private var live: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// The requests that wait for a connection, in order.
    private var waiting: [(transfer: CurlTransfer, request: HTTPRequest, host: String)] = []
    /// The number of running requests per host.
    private var running: [String: Int] = [:]

    init(_ engine: CurlEngine, _ multi: CurlEngine.MultiHandle) {
        self.engine = engine
        self.multi = multi.pointer
    }

    /// Runs transfers until the engine is closed.
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
            case .start(let transfer): begin(transfer, transfer.request)
            case .cancel(let transfer):
                // It may not have started.
                transfer.isCancelled = true
                if transfer.curlExchange != nil || stopWaiting(transfer) {
                    end(transfer, .failure(CancellationError()))
                }
            }
        }
        startWaiting()
        return !isClosed
    }

    private func begin(_ transfer: CurlTransfer, _ request: HTTPRequest) {
        if transfer.isCancelled { return end(transfer, .failure(CancellationError())) }
        waiting.append((transfer, request, WebURL(request.url)?.host ?? ""))
    }

    /// Removes a transfer from the queue; false if it isn't waiting.
    private func stopWaiting(_ transfer: CurlTransfer) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.transfer === transfer }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Starts waiting requests, within the limits for connections and hosts.
    ///
    /// libcurl has a queue too, but one for all hosts: requests to a host that doesn't respond would block the others.
    private func startWaiting() {
        let limit = engine.configuration
        var left: [(transfer: CurlTransfer, request: HTTPRequest, host: String)] = []
        for next in waiting {
            if live.count < max(limit.connections, 1), running[next.host, default: 0] < limit.requestsPerHost {
                start(next.transfer, next.request, to: next.host)
            } else {
                left.append(next)
            }
        }
        waiting = left
    }

    private func start(_ transfer: CurlTransfer, _ request: HTTPRequest, to host: String) {
        do {
            let curlExchange = try CurlExchange(request, engine.configuration, engine.leaks)
            guard heybot_curl_multi_add(multi, curlExchange.handle.pointer) == CURLM_OK else {
                throw CurlError(CURLE_FAILED_INIT).error(request.host)
            }
            transfer.curlExchange = curlExchange
            live[curlExchange.handle.pointer] = transfer
            running[host, default: 0] += 1
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Fails the transfers whose deadline has passed.
    private func expire() {
        let now = ContinuousClock.now
        let late = (live.values + waiting.map(\.transfer)).filter { $0.deadline <= now }
        for transfer in late {
            _ = stopWaiting(transfer)
            end(transfer, .failure(HTTPError(.timeout, host: transfer.host, "over \(transfer.request.deadline)")))
        }
    }

    /// The number of milliseconds until the next deadline.
    private var pollTimeout: Int32 {
        let deadlines = [live.values.lazy.map(\.deadline).min(), waiting.lazy.map(\.transfer.deadline).min()]
        let next = deadlines.compactMap { $0 }.min()
        return Int32(clamping: next.map { ContinuousClock.now.duration(to: $0).milliseconds } ?? .max)
    }

    /// Processes the requests that libcurl has finished.
    private func finishCompleted() {
        var result = CURLE_OK
        while let handle = heybot_curl_multi_next_done(multi, &result) {
            guard let transfer = live[handle], let curlExchange = transfer.curlExchange else { continue }
            do throws(HTTPError) {
                switch try curlExchange.outcome(result) {
                case .answer(let response): end(transfer, .success(response))
                case .redirect(let request):
                    detach(transfer)
                    begin(transfer, request)
                }
            } catch {
                end(transfer, .failure(error))
            }
        }
    }

    private func failAll(_ error: (CurlTransfer) -> any Error) {
        let all = live.values + waiting.map(\.transfer)
        waiting = []
        for transfer in all { end(transfer, .failure(error(transfer))) }
    }

    private func end(_ transfer: CurlTransfer, _ result: Result<HTTPResponse, any Error>) {
        detach(transfer)
        transfer.end(result)
    }

    /// Removes a transfer's request from libcurl.
    private func detach(_ transfer: CurlTransfer) {
        guard let curlExchange = transfer.curlExchange else { return }
        heybot_curl_multi_remove(multi, curlExchange.handle.pointer)
        live[curlExchange.handle.pointer] = nil
        let others = running[curlExchange.host, default: 1] - 1
        running[curlExchange.host] = others > 0 ? others : nil
        transfer.curlExchange = nil
    }
}
