import Heybot
import HeybotSupport
import HeybotXMPP
import Logging
import NetworkAdapter

// Sends files: uploads them to a service of the account's server (XEP-0363), and sends their URLs.

extension XMPPAdapter {
    /// The timeout of a query about an upload.
    private static let queryTimeout: Duration = .seconds(10)
    /// The timeout of the upload itself.
    private static let uploadTimeout: Duration = .seconds(120)

    /// Uploads a file, and sends its URL.
    ///
    /// If that isn't possible, the text in its place is sent.
    ///
    /// - Throws: ``Heybot/AdapterError`` if there is no such text, and `CancellationError`.
    func share(_ attachment: Attachment, to target: JID, _ envelope: Envelope) async throws -> Message.ID {
        do {
            let file = try await upload(attachment)
            return driver.act { $0.send(.text(file.url), sharing: file, to: target, envelope, at: $1) }
        } catch let error as AdapterError {
            guard let text = attachment.plainText else { throw error }
            driver.logger.info("\(error); the text in place of the file is sent")
            return driver.act { $0.send(.text(text), to: target, envelope, at: $1) }
        }
    }

    private func upload(_ attachment: Attachment) async throws -> SharedFile {
        guard let http else {
            throw AdapterError(.unsupported, "this robot has no web client, so it can't send files")
        }
        let name = SafeText.fileName(attachment.name) ?? "file"
        let type = SafeText.mediaType(attachment.type) ?? "application/octet-stream"
        let bytes = attachment.bytes
        let (account, known) = driver.withLock { ($0.configuration.session.address, $0.uploadService) }
        var upload = FileUpload(name: name, type: type, size: bytes.count, account: account, service: known)
        var step = upload.begin()
        while true {
            switch step {
            case .ask(let queries):
                let answers = await answers(to: queries)
                try Task.checkCancellation()
                step = upload.receive(answers)
            case .failed(let failure):
                // The service may have been moved.
                driver.withLock { $0.uploadService = nil }
                throw Self.adapterError(failure, name: name, size: bytes.count)
            case .put(let slot):
                let service = upload.service
                driver.withLock { $0.uploadService = service }
                try await put(bytes, type: type, name: name, into: slot, http)
                let summary = attachment.hasOwnAlternative ? attachment.alternative : nil
                return SharedFile(
                    url: slot.getURL, name: name, type: type, size: bytes.count,
                    sha256: SharedFile.digest(of: bytes), summary: summary)
            }
        }
    }

    /// Finds the service that takes files, without requesting anything from it.
    func findUploadService() async {
        let account = configuration.session.address
        var upload = FileUpload(name: "file", type: "application/octet-stream", size: 1, account: account)
        var step = upload.begin()
        while upload.service == nil, case .ask(let queries) = step {
            let answers = await answers(to: queries)
            step = upload.receive(answers)
        }
        let service = upload.service
        driver.withLock { $0.uploadService = service }
    }

    /// Asks all at once, so that one that doesn't answer doesn't delay the others.
    private func answers(to queries: [FileUpload.Query]) async -> [Result<Element?, StanzaError>] {
        let missing = Result<Element?, StanzaError>.failure(StanzaError(type: "wait", condition: .remoteServerTimeout))
        return await withTaskGroup(of: IndexedAnswer.self) { group in
            for (index, query) in queries.enumerated() {
                group.addTask { IndexedAnswer(index: index, result: await self.answer(to: query)) }
            }
            var answers = [Result<Element?, StanzaError>](repeating: missing, count: queries.count)
            for await answer in group { answers[answer.index] = answer.result }
            return answers
        }
    }

    private struct IndexedAnswer: Sendable {
        let index: Int
        let result: Result<Element?, StanzaError>
    }

    private func answer(to query: FileUpload.Query) async -> Result<Element?, StanzaError> {
        do throws(StanzaError) {
            return .success(try await ask(query.payload, to: query.address, within: Self.queryTimeout))
        } catch {
            return .failure(error)
        }
    }

    /// Puts a file into a slot: only at a public address, because the URL comes from another program.
    private func put(
        _ bytes: [UInt8], type: String, name: String, into slot: FileUploadSlot, _ http: any HTTPClient
    ) async throws {
        var headers = HTTPHeaders()
        for header in slot.headers { headers.add(header.value, for: header.name) }
        var request = HTTPRequest(
            .put, slot.putURL, headers: headers, body: HTTPRequestBody(bytes, type: type), addresses: .publicOnly)
        request.deadline = Self.uploadTimeout
        request.limit = 65_536
        request.redirects = 0
        do {
            try await http.send(request).checked()
        } catch let error as HTTPError {
            throw AdapterError(.notAllowed, "\(name) can't be uploaded, because \(error)")
        }
    }

    private static func adapterError(_ failure: FileUpload.Failure, name: String, size: Int) -> AdapterError {
        switch failure {
        case .noService(let silent):
            guard let first = silent.first else {
                return AdapterError(
                    .unsupported, "\(name) can't be sent, because the server takes no files: its admin can enable that"
                )
            }
            return silence(of: first, name)
        case .tooLarge(let service):
            let limit = service.largestFile ?? 0
            return AdapterError(
                .tooLong, "\(name) has \(size) bytes, but \(service.address) takes \(limit) at most: shorten it")
        case .refused(let address, let error):
            switch error.condition {
            case .notConnected: return AdapterError(.notConnected, "I'm not connected right now")
            case .remoteServerTimeout: return silence(of: address, name)
            default: return AdapterError(.notAllowed, "\(address) doesn't take \(name): \(error)")
            }
        case .unusableSlot(let reason):
            return AdapterError(
                .notAllowed, "\(name) can't be uploaded, because the server's offer can't be used: \(reason)")
        }
    }

    private static func silence(of address: JID, _ name: String) -> AdapterError {
        AdapterError(.notConnected, "\(name) can't be sent, because \(address) doesn't answer: try again later")
    }
}
