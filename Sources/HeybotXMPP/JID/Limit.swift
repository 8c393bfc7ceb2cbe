/// How long a part of an address may be (RFC 7622 section 3.1).
enum Limit {
    static func isKept(_ count: Int) -> Bool { count >= 1 && count <= 1_023 }

    static func check(_ part: String) throws(JIDError.Flaw) {
        let count = part.utf8.count
        guard isKept(count) else { throw count == 0 ? .empty : .tooLong }
    }
}
