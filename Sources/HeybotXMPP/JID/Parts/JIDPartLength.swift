/// The allowed length of a part of an address (RFC 7622 section 3.1).
enum JIDPartLength {
    static func isValid(_ count: Int) -> Bool { count >= 1 && count <= 1_023 }

    static func check(_ part: String) throws(JIDError.Reason) {
        let count = part.utf8.count
        guard isValid(count) else { throw count == 0 ? .empty : .tooLong }
    }
}
