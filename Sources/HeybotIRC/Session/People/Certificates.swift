/// The questions after the client certificates of people (`WHOIS`, answered with 276 RPL_WHOISCERTFP).
///
/// Each has the number of an inquiry, so that an answer is known to be about whoever has had the nick since then.
struct Certificates: Sendable {
    private struct Question {
        /// When it was asked last; nil if the nick is somebody else's since then.
        var asked: Duration?
        /// The numbers of the lines that aren't answered yet.
        var open: [Int] = []
        var user: String?
        var host: String?
        var fingerprints: [String] = []
    }

    /// What `WHOIS` tells of somebody.
    struct Answer: Hashable, Sendable {
        let number: Int
        let user: String
        let host: String
        let fingerprints: [String]
    }

    /// The time within which nobody is asked about twice.
    private static let pause: Duration = .seconds(60)
    private static let mostRemembered = 500
    /// A server may tell the same certificate's fingerprint by several hash functions.
    private static let mostFingerprints = 8

    /// By the nick, folded.
    private var questions: [String: Question] = [:]

    /// Whether to ask about somebody now; false if that was done a moment ago.
    mutating func admits(_ key: String, at now: Duration) -> Bool {
        if let last = questions[key]?.asked, now - last < Self.pause { return false }
        if questions.count >= Self.mostRemembered {
            questions = questions.filter { $0.value.asked.map { now - $0 < Self.pause } ?? false }
        }
        guard questions.count < Self.mostRemembered else { return false }
        var question = questions[key] ?? Question()
        // What wasn't answered in all that time won't be.
        if question.asked != nil { question.open = [] }
        question.asked = now
        questions[key] = question
        return true
    }

    /// Somebody else has the nick now, so may be asked about again.
    mutating func forget(_ key: String) { questions[key]?.asked = nil }

    /// The line that asks about somebody.
    mutating func line(about nick: String, _ key: String, number: Int) -> IRCMessage {
        questions[key]?.open.append(number)
        return IRCMessage("WHOIS", nick)
    }

    /// Whether an answer about that nick is to come.
    func isOpen(_ key: String) -> Bool { questions[key]?.open.isEmpty == false }

    /// Takes a line about somebody (311, 276, 318); gives what was told of them once all has come.
    mutating func receive(_ message: IRCMessage, about key: String) -> Answer? {
        let parameters = message.parameters
        guard isOpen(key), var question = questions.removeValue(forKey: key) else { return nil }
        defer { questions[key] = question }
        switch message.numeric {
        case .whoisUser where parameters.count > 3:
            (question.user, question.host, question.fingerprints) = (parameters[2], parameters[3], [])
        case .whoisCertificate:
            // "has client certificate fingerprint …"
            guard let word = parameters.last?.split(separator: " ").last, let found = Self.fingerprint(String(word)),
                question.fingerprints.count < Self.mostFingerprints
            else { break }
            question.fingerprints.append(found)
        case .endOfWhois:
            let number = question.open.removeFirst()
            defer { (question.user, question.host, question.fingerprints) = (nil, nil, []) }
            guard let user = question.user, let host = question.host else { return nil }
            return Answer(number: number, user: user, host: host, fingerprints: question.fingerprints)
        default: break
        }
        return nil
    }

    /// A fingerprint as it is compared: hexadecimal digits in lower case, of 16 to 64 bytes; nil if it isn't one.
    static func fingerprint(_ text: String) -> String? {
        guard text.utf8.count <= 192 else { return nil }
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard [32, 40, 64, 96, 128].contains(digits.count),
            digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
        return String(decoding: digits, as: UTF8.self).lowercased()
    }
}

extension Profile {
    /// A certificate's fingerprint as ``Heard/certificates`` has it: hexadecimal digits in lower case, without colons; nil if
    /// the text isn't one.
    package static func fingerprint(_ text: String) -> String? { Certificates.fingerprint(text) }
}
