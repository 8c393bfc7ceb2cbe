import FoundationEssentials
import Heybot
import HeybotSupport

extension Webhooks {
    /// A webhook: anyone who knows its secret can post in its room.
    struct Webhook: Codable, Sendable {
        /// The number of random bytes in a secret.
        private static let secretBytes = 20

        let room: Room.ID
        /// The SHA-256 of the secret, in hexadecimal.
        ///
        /// A random secret needs no salt.
        let secretHash: String
        /// The name of the user who created it.
        let creator: String
        let date: Date

        init(room: Room.ID, secret: String, creator: String, date: Date) {
            self.room = room
            secretHash = Self.hash(secret)
            self.creator = creator
            self.date = date
        }

        /// Returns a new secret: 160 random bits in hexadecimal.
        ///
        /// - Parameter random: Returns a random number in a range; the robot's comes from the system's generator.
        static func makeSecret(_ random: (ClosedRange<Int>) -> Int) -> String {
            hexadecimal((0..<secretBytes).map { _ in UInt8(clamping: random(0...255)) })
        }

        /// Whether a secret is this webhook's, compared in constant time.
        func accepts(_ secret: String) -> Bool {
            secret.utf8.count <= 200 && WebRequest.isSame(Self.hash(secret), secretHash)
        }

        private static func hash(_ secret: String) -> String {
            hexadecimal(CryptographicHash.sha256.hash(secret.utf8))
        }

        private static func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
        }
    }

    /// The name of a webhook: chosen by its creator, or a number.
    struct WebhookName: Hashable, Sendable, CustomStringConvertible {
        let description: String

        /// Checks a name from an address or a command; nil if no webhook can have it.
        init?(_ text: some StringProtocol) {
            let name = text.lowercased()
            guard name.utf8.count <= 30, name.wholeMatch(of: /[a-z0-9]+(?:-[a-z0-9]+)*/) != nil else { return nil }
            description = name
        }

        init(number: Int) { description = "\(number)" }

        /// Whether the robot has chosen it.
        var isNumber: Bool { Int(description) != nil }

        /// The label of what the robot itself says about the webhook.
        var label: String { isNumber ? "webhook \(description)" : description }

        /// The label of a notice: its subject, or else the webhook's chosen name, or else the tool's name.
        func label(of notice: Notice) -> String {
            let subject = Webhooks.safeLine(notice.subject ?? "", limit: 60)
            if !subject.isEmpty { return subject }
            return isNumber ? notice.tool ?? label : label
        }
    }
}
