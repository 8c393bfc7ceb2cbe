import CCurl
import Heybot

/// What the driver's thread does, and all that it alone has.
final class DriverThread {
    private let driver: Driver
    private let multi: UnsafeMutableRawPointer
    /// The transfers that libcurl has, by its handles.
    private var live: [UnsafeMutableRawPointer: Transfer] = [:]

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
            // Where somebody has woken it since, it doesn't wait.
            if result == CURLM_OK { result = heybot_curl_multi_poll(multi, patience) }
            if result != CURLM_OK { endAll { CurlProblem(CURLE_FAILED_INIT).error($0.request.host) } }
        }
        endAll { _ in CancellationError() }
        heybot_curl_multi_cleanup(multi)
    }

    /// Does what it was told; false where that is to end.
    private func obey() -> Bool {
        let (messages, isClosed) = driver.take()
        for message in messages {
            switch message {
            case .start(let transfer): begin(transfer, transfer.request)
            case .cancel(let transfer):
                // It may not have begun.
                transfer.isCancelled = true
                if transfer.hop != nil { end(transfer, .failure(CancellationError())) }
            }
        }
        return !isClosed
    }

    private func begin(_ transfer: Transfer, _ request: HTTPRequest) {
        do {
            if transfer.isCancelled { throw CancellationError() }
            let hop = try Hop(request, driver.configuration, driver.census)
            guard heybot_curl_multi_add(multi, hop.handle.pointer) == CURLM_OK else {
                throw CurlProblem(CURLE_FAILED_INIT).error(request.host)
            }
            transfer.hop = hop
            live[hop.handle.pointer] = transfer
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// Ends the transfers whose time is over.
    private func expire() {
        let now = ContinuousClock.now
        for transfer in live.values where transfer.deadline <= now {
            end(transfer, .failure(HTTPError(.timeout, host: transfer.host, "over \(transfer.request.deadline)")))
        }
    }

    /// How many milliseconds are left until one is.
    private var patience: Int32 {
        let next = live.values.lazy.map(\.deadline).min()
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
        for transfer in live.values { end(transfer, .failure(error(transfer))) }
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
        transfer.hop = nil
    }
}
