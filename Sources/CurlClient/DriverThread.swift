import CCurl
import Heybot

/// What the driver's thread does, and all that it alone has.
final class DriverThread {
    private let driver: Driver
    private let multi: UnsafeMutableRawPointer
    /// The transfers that libcurl has, by its handles.
    private var live: [UnsafeMutableRawPointer: Transfer] = [:]
    /// The requests that wait until fewer run, in the order they came.
    private var waiting: [(transfer: Transfer, request: HTTPRequest, host: String)] = []
    /// How many requests run to each host.
    private var running: [String: Int] = [:]

    init(_ driver: Driver, _ multi: Driver.Multi) {
        self.driver = driver
        self.multi = multi.pointer
    }

    /// Does transfers until the driver is closed.
    func run() {
        while obey() {
            expire()
            var result = heybot_curl_multi_perform(multi)
            settle()
            admit()
            // If somebody has woken it since, it doesn't wait.
            if result == CURLM_OK { result = heybot_curl_multi_poll(multi, patience) }
            if result != CURLM_OK { endAll { CurlProblem(CURLE_FAILED_INIT).error($0.request.host) } }
        }
        endAll { _ in CancellationError() }
        heybot_curl_multi_cleanup(multi)
    }

    /// Does what it was told; false if that is to end.
    private func obey() -> Bool {
        let (messages, isClosed) = driver.take()
        for message in messages {
            switch message {
            case .start(let transfer): begin(transfer, transfer.request)
            case .cancel(let transfer):
                // It may not have begun.
                transfer.isCancelled = true
                if transfer.hop != nil || stopWaiting(transfer) { end(transfer, .failure(CancellationError())) }
            }
        }
        admit()
        return !isClosed
    }

    private func begin(_ transfer: Transfer, _ request: HTTPRequest) {
        if transfer.isCancelled { return end(transfer, .failure(CancellationError())) }
        waiting.append((transfer, request, WebURL(request.url)?.host ?? ""))
    }

    /// Takes a transfer out of those that wait; false if it isn't one of them.
    private func stopWaiting(_ transfer: Transfer) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.transfer === transfer }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Hands libcurl the requests that there is room for.
    ///
    /// libcurl would queue them itself, but without regard to their hosts: those to one that doesn't answer would hold up
    /// the rest.
    private func admit() {
        let limit = driver.configuration
        var left: [(transfer: Transfer, request: HTTPRequest, host: String)] = []
        for next in waiting {
            if live.count < max(limit.connections, 1), running[next.host, default: 0] < limit.requestsPerHost {
                hand(next.transfer, next.request, to: next.host)
            } else {
                left.append(next)
            }
        }
        waiting = left
    }

    private func hand(_ transfer: Transfer, _ request: HTTPRequest, to host: String) {
        do {
            let hop = try Hop(request, driver.configuration, driver.census)
            guard heybot_curl_multi_add(multi, hop.handle.pointer) == CURLM_OK else {
                throw CurlProblem(CURLE_FAILED_INIT).error(request.host)
            }
            transfer.hop = hop
            live[hop.handle.pointer] = transfer
            running[host, default: 0] += 1
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Ends the transfers whose time is over.
    private func expire() {
        let now = ContinuousClock.now
        let late = (live.values + waiting.map(\.transfer)).filter { $0.deadline <= now }
        for transfer in late {
            _ = stopWaiting(transfer)
            end(transfer, .failure(HTTPError(.timeout, host: transfer.host, "over \(transfer.request.deadline)")))
        }
    }

    /// How many milliseconds are left until one is.
    private var patience: Int32 {
        let deadlines = [live.values.lazy.map(\.deadline).min(), waiting.lazy.map(\.transfer.deadline).min()]
        let next = deadlines.compactMap { $0 }.min()
        return Int32(clamping: next.map { ContinuousClock.now.duration(to: $0).milliseconds } ?? .max)
    }

    /// Deals with what libcurl is done with.
    private func settle() {
        var result = CURLE_OK
        while let handle = heybot_curl_multi_next_done(multi, &result) {
            guard let transfer = live[handle], let hop = transfer.hop else { continue }
            do throws(HTTPError) {
                switch try hop.outcome(result) {
                case .answer(let response): end(transfer, .success(response))
                case .redirect(let request):
                    letGo(transfer)
                    begin(transfer, request)
                }
            } catch {
                end(transfer, .failure(error))
            }
        }
    }

    private func endAll(_ error: (Transfer) -> any Error) {
        let all = live.values + waiting.map(\.transfer)
        waiting = []
        for transfer in all { end(transfer, .failure(error(transfer))) }
    }

    private func end(_ transfer: Transfer, _ result: Result<HTTPResponse, any Error>) {
        letGo(transfer)
        transfer.end(result)
    }

    /// Takes it from libcurl.
    private func letGo(_ transfer: Transfer) {
        guard let hop = transfer.hop else { return }
        heybot_curl_multi_remove(multi, hop.handle.pointer)
        live[hop.handle.pointer] = nil
        let others = running[hop.host, default: 1] - 1
        running[hop.host] = others > 0 ? others : nil
        transfer.hop = nil
    }
}
