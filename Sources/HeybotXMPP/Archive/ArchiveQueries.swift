import FoundationEssentials

/// The archives that the session asks for what it has missed (XEP-0313), one page after the other (XEP-0059).
///
/// An archive has the address of its room, or the bare address of the account.
struct ArchiveQueries: Sendable {
    /// A query of an archive.
    private struct Query: Sendable {
        /// The id that the results on the current page have.
        var id: String
        /// The time since which the session has missed messages, on the session's clock.
        let since: Duration
        /// The time of the earliest message to find, in the format of XEP-0082.
        let start: String
        /// The time since which another session would have to ask: that of the last result on the last complete page.
        var unheardSince: Duration
        var pages = 1
        /// The number of results on the current page.
        var results = 0
        /// The time of the last result, in the format of XEP-0082.
        var lastStamp: String?
    }

    /// A page to ask for.
    struct Page: Sendable {
        /// Its id.
        let id: String
        let request: Element
        /// The archive has shown what came before this time, on the session's clock; nil if that isn't known.
        var shownBefore: Duration?
    }

    /// The maximum number of messages on a page.
    private static let pageSize = 50
    /// The maximum number of pages of an archive.
    private static let maxPages = 200
    /// In bytes.
    private static let longestID = 1_024

    private var queries: [JID: Query] = [:]
    /// The number of pages that were asked for, also by earlier processes of the same session, whose pages may still come.
    var count = 0

    /// Whether no archive is being asked.
    var isEmpty: Bool { queries.isEmpty }

    /// Returns the time since which another session would have missed messages, on the session's clock; nil if the archive
    /// isn't being asked.
    func missedSince(in archive: JID) -> Duration? { queries[archive]?.unheardSince }

    /// Begins to ask an archive.
    ///
    /// - Parameters:
    ///   - since: The time since which the session has missed messages, on the session's clock.
    ///   - start: The time of the earliest message to find, in the format of XEP-0082.
    /// - Returns: The first page.
    mutating func begin(_ archive: JID, since: Duration, start: String) -> Page {
        let query = Query(id: nextID(), since: since, start: start, unheardSince: since)
        queries[archive] = query
        return Page(id: query.id, request: Self.request(query, after: nil))
    }

    /// Ends the query of an archive before its last page.
    ///
    /// - Returns: The time since which the rest has to be asked for, on the session's clock; nil if the archive isn't being asked.
    mutating func abandon(_ archive: JID) -> Duration? { queries.removeValue(forKey: archive)?.unheardSince }

    /// Whether a page is the one that an archive was last asked for.
    func isCurrent(_ page: String, of archive: JID) -> Bool { queries[archive]?.id == page }

    /// Counts a result.
    ///
    /// - Parameter stamp: The time of the message that it contains, in the format of XEP-0082.
    /// - Returns: The time since which the session has missed messages, on the session's clock; nil if the result doesn't
    ///   belong to the current page of this archive.
    mutating func admit(_ result: Element, of stamp: String, from archive: JID) -> Duration? {
        guard let query = queries[archive], query.id == result["queryid"], query.results < Self.pageSize else {
            return nil
        }
        queries[archive]?.results += 1
        queries[archive]?.lastStamp = stamp
        return query.since
    }

    /// Ends a page.
    ///
    /// - Parameters:
    ///   - end: The archive's answer, which comes after the results; nil if the archive has refused the request.
    ///   - epoch: The time of the zero of the session's clock, in seconds since 1970.
    /// - Returns: The next page; nil if there is none.
    mutating func endPage(
        _ id: String, of archive: JID, _ end: Element?, epoch: Double, at now: Duration
    ) -> Page? {
        guard var query = queries[archive], query.id == id else { return nil }
        queries[archive] = nil
        guard let end, end.is("fin", Namespace.archive), !["true", "1"].contains(end["complete"]),
            query.pages < Self.maxPages,
            let last = end.first("set", Namespace.resultSet)?.first("last", Namespace.resultSet)?.text,
            (1...Self.longestID).contains(last.utf8.count)
        else { return nil }
        let shownBefore = Self.time(of: query.lastStamp, epoch: epoch, at: now)
        if let shownBefore { query.unheardSince = max(query.unheardSince, shownBefore) }
        (query.id, query.pages, query.results) = (nextID(), query.pages + 1, 0)
        queries[archive] = query
        return Page(id: query.id, request: Self.request(query, after: last), shownBefore: shownBefore)
    }

    /// Returns the time of a result on the session's clock; nil if it has none, or a later one than the robot.
    private static func time(of stamp: String?, epoch: Double, at now: Duration) -> Duration? {
        guard let date = stamp.flatMap(DateTimeProfile.date) else { return nil }
        let seconds = date.timeIntervalSince1970 - epoch
        // A clock that is ahead of the robot's tells nothing.
        guard abs(seconds) < Double(Int32.max), seconds < now / .seconds(1) else { return nil }
        return .seconds(seconds)
    }

    private mutating func nextID() -> String {
        count += 1
        return "missed-\(count)"
    }

    private static func request(_ query: Query, after last: String?) -> Element {
        var form = Element("x", Namespace.data, ["type": "submit"])
        for (name, value) in [("FORM_TYPE", Namespace.archive), ("start", query.start)] {
            form.append(
                Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value)))
        }
        var page = Element(
            "set", Namespace.resultSet, [:], Element("max", Namespace.resultSet, text: "\(pageSize)"))
        if let last { page.append(Element("after", Namespace.resultSet, text: last)) }
        return Element("query", Namespace.archive, ["queryid": query.id], form, page)
    }
}

/// What an archive says about one of its messages.
struct ArchiveEntry: Sendable {
    /// The message's id in the archive, which is also its stanza id (XEP-0359).
    let id: String?
    /// When the archive received the message, in the format of XEP-0082.
    let stamp: String
}
