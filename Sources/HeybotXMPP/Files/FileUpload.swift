/// The upload of a file to a service of the account's server (HTTP File Upload, XEP-0363), as a value: answers go in, steps
/// come out.
package struct FileUpload: Sendable {
    /// What the upload's owner does next.
    package enum Step: Hashable, Sendable {
        /// Send these queries at once, and pass their results to ``FileUpload/receive(_:)``, in the same order.
        case ask([Query])
        /// Put the file there; then it has the slot's URL.
        case put(FileUploadSlot)
        /// Give up.
        case failed(Failure)
    }

    /// A query of service discovery or for a slot, of type `get`.
    package struct Query: Hashable, Sendable {
        package let payload: Element
        /// The addressee.
        package let address: JID
    }

    /// A service that takes files.
    package struct Service: Hashable, Sendable {
        package let address: JID
        /// The size of the largest file that it takes, in bytes; nil if it doesn't say.
        package let largestFile: Int?

        func takes(_ size: Int) -> Bool { largestFile.map { size <= $0 } ?? true }
    }

    /// Why a file can't be uploaded.
    package enum Failure: Error, Hashable, Sendable {
        /// The server has no service for files; these domains didn't answer.
        case noService(silent: [JID])
        /// The file is larger than the service allows.
        case tooLarge(Service)
        /// The server or the service refuses the request, or doesn't answer.
        case refused(by: JID, StanzaError)
        /// The slot can't be used, for this reason.
        case unusableSlot(String)
    }

    private enum Phase {
        case listing
        case describing([JID])
        case requesting
    }

    private static let maxCandidates = 20

    private let name: String
    private let type: String
    private let size: Int
    private let server: JID
    private var phase = Phase.listing
    /// The service, once it is known.
    package private(set) var service: Service?

    /// - Parameters:
    ///   - type: The file's media type.
    ///   - size: The file's size in bytes.
    ///   - account: The account, whose server is asked for a service.
    ///   - service: The service, if an earlier upload has found it; if it doesn't take the file, another one is looked for.
    package init(name: String, type: String, size: Int, account: JID, service: Service? = nil) {
        (self.name, self.type, self.size) = (name, type, size)
        if let service, service.takes(size) { self.service = service }
        server = (try? JID(domain: account.domain)) ?? account.bare
    }

    /// Begins the upload.
    package mutating func begin() -> Step {
        if let service { return request(service) }
        return .ask([Query(payload: Element("query", Namespace.discoItems), address: server)])
    }

    /// Handles the results of the last queries.
    package mutating func receive(_ answers: [Result<Element?, StanzaError>]) -> Step {
        switch phase {
        case .listing: receiveList(answers.first ?? .success(nil))
        case .describing(let candidates): receiveDescriptions(answers, of: candidates)
        case .requesting: receiveSlot(answers.first ?? .success(nil))
        }
    }

    private mutating func receiveList(_ answer: Result<Element?, StanzaError>) -> Step {
        // The server itself may take files.
        var candidates = [server]
        switch answer {
        case .failure(let error) where error.type == "wait": return .failed(.refused(by: server, error))
        case .failure, .success(nil): break
        case .success(let list?):
            for case .element(let item) in list.children where candidates.count < Self.maxCandidates {
                guard list.is("query", Namespace.discoItems), item.is("item", Namespace.discoItems),
                    item["node"] == nil, let address = item["jid"].flatMap({ try? JID($0) }),
                    address.local == nil, address.resource == nil, !candidates.contains(address)
                else { continue }
                candidates.append(address)
            }
        }
        phase = .describing(candidates)
        return .ask(candidates.map { Query(payload: Element("query", Namespace.discoInfo), address: $0) })
    }

    private mutating func receiveDescriptions(
        _ answers: [Result<Element?, StanzaError>], of candidates: [JID]
    ) -> Step {
        var (found, silent): ([Service], [JID]) = ([], [])
        for (address, answer) in zip(candidates, answers) {
            switch answer {
            case .success(let info): if let service = Self.service(info, at: address) { found.append(service) }
            case .failure(let error): if error.type == "wait" || error.isUnreachable { silent.append(address) }
            }
        }
        guard let service = found.first(where: { $0.takes(size) }) ?? found.first else {
            return .failed(.noService(silent: silent))
        }
        return request(service)
    }

    private static func service(_ info: Element?, at address: JID) -> Service? {
        guard let info, info.is("query", Namespace.discoInfo),
            info.all("feature", Namespace.discoInfo).contains(where: { $0["var"] == Namespace.httpUpload })
        else { return nil }
        let form = info.all("x", Namespace.data).first { Self.value("FORM_TYPE", in: $0) == Namespace.httpUpload }
        let limit = form.flatMap { Self.value("max-file-size", in: $0) }.flatMap { Int($0) }
        // A negative number is no limit.
        return Service(address: address, largestFile: limit.flatMap { $0 < 0 ? nil : $0 })
    }

    private static func value(_ name: String, in form: Element) -> String? {
        form.all("field", Namespace.data).first { $0["var"] == name }?.first("value", Namespace.data)?.text
    }

    private mutating func request(_ service: Service) -> Step {
        self.service = service
        guard service.takes(size) else { return .failed(.tooLarge(service)) }
        phase = .requesting
        let request = Element(
            "request", Namespace.httpUpload, ["filename": name, "size": "\(size)", "content-type": type])
        return .ask([Query(payload: request, address: service.address)])
    }

    private func receiveSlot(_ answer: Result<Element?, StanzaError>) -> Step {
        switch answer {
        case .failure(let error): return .failed(.refused(by: service?.address ?? server, error))
        case .success(let slot):
            do throws(Failure) { return .put(try FileUploadSlot(slot)) } catch { return .failed(error) }
        }
    }
}
