import Heybot

/// What a user wants to deploy, as it was typed.
struct DeployOrder: Hashable, Sendable {
    let app: String
    /// A branch, tag or commit; nil for the default branch.
    let ref: String?
    /// Nil for the default environment.
    let environment: String?
    /// The hosts, or the kind of hosts; empty for all.
    let hosts: String
    /// `deploy`, or another task such as `deploy:migrate`.
    let task: String
    /// Whether it is deployed although checks haven't passed, and without merging the default branch.
    let isForced: Bool

    /// - Throws: A ``Refusal`` if a part can't be passed on.
    init(
        app: Substring, ref: Substring? = nil, environment: Substring? = nil, hosts: Substring? = nil,
        task: Substring? = nil, isForced: Bool = false
    ) throws(Refusal) {
        if let ref, !Self.isRef(ref) {
            throw Refusal("\(String(oneLine: ref, limit: 60)) isn't the name of a branch, a tag or a commit.")
        }
        let hosts = hosts.map { String($0) } ?? ""
        guard hosts.utf8.allSatisfy(Self.isPlain), hosts.first != "-" else {
            throw Refusal("\(String(oneLine: hosts, limit: 60)) isn't a name of hosts.")
        }
        self.app = String(app)
        self.ref = ref.map { String($0) }
        self.environment = environment.map { String($0) }
        self.hosts = hosts
        self.task = "deploy" + (task?.lowercased() ?? "")
        self.isForced = isForced
    }

    /// Whether a text can be the name of a branch, tag or commit, and is safe as an argument of a program.
    ///
    /// Git allows more characters, but hardly anyone uses them.
    static func isRef(_ text: some StringProtocol) -> Bool {
        guard 1...200 ~= text.utf8.count, text.utf8.allSatisfy(isPlain), !text.hasPrefix("-") else { return false }
        return !text.hasPrefix("/") && !text.hasSuffix("/") && !text.contains("..") && !text.contains("//")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "._-/@+#=,".utf8.contains(byte)
        }
    }
}
