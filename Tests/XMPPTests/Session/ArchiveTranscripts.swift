import Testing

@testable import HeybotXMPP

/// Transcripts of queries of archives (XEP-0313).
protocol ArchiveTranscripts {}

extension ArchiveTranscripts {
    var dev: String { "dev@muc.ship.org" }
    var stamp: String { "2025-12-31T23:59:00Z" }
    /// The beginning of 2026.
    var epoch: Double { 1_767_225_600.0 }

    /// A configuration with a limit on the age of missed messages.
    func profile(_ profile: SessionConfiguration = .marvin) -> SessionConfiguration {
        var profile = profile
        profile.missedMessageAge = .seconds(600)
        return profile
    }

    /// A session whose predecessor was cut off a minute and a half ago.
    func back(
        _ profile: SessionConfiguration, rooms: [SessionConfiguration.Room]? = nil, waiting: [OutgoingMessage] = []
    ) -> TranscriptPlayer {
        var stage = TranscriptPlayer(profile, rooms: rooms, waiting: waiting)
        stage.session.epoch = epoch
        stage.session.absentSince = .seconds(-90)
        return stage
    }

    /// The request for a page of an archive.
    func request(
        _ page: Int, iq: Int? = nil, to: String = "", start: String = "2025-12-31T23:58:15Z", after: String = ""
    ) -> String {
        let to = to.isEmpty ? "" : " to='\(to)'"
        let after = after.isEmpty ? "" : "<rsm:after>\(after)</rsm:after>"
        return """
            > <iq type='set' id='{\(iq ?? page)}'\(to)><mam:query queryid='missed-\(page)'>
              <data:x type='submit'><data:field var='FORM_TYPE'><data:value>urn:xmpp:mam:2</data:value></data:field>
              <data:field var='start'><data:value>\(start)</data:value></data:field></data:x>
              <rsm:set><rsm:max>50</rsm:max>\(after)</rsm:set></mam:query></iq>

            """
    }

    var ready: String { "* logged in as marvin@ship.org/r1, in no room\n. ready\n" }

    /// A result of a page of an archive.
    func found(
        _ text: String, by sender: String = "bob@b.org/x", page: Int = 1, from archive: String = "", id: String = "a1",
        type: String = "chat", _ more: String = ""
    ) -> String {
        let from = archive.isEmpty ? "" : " from='\(archive)'"
        let message = "<message from='\(sender)' type='\(type)' id='m1'><body>\(text)</body>\(more)</message>"
        let forwarded = "<forward:forwarded><delay:delay stamp='\(stamp)'/>\(message)</forward:forwarded>"
        let result = "<mam:result queryid='missed-\(page)' id='\(id)'>\(forwarded)</mam:result>"
        return "< <message\(from)>\(result)</message>\n"
    }

    /// The end of a page.
    func end(iq: Int, from archive: String = "", last: String? = nil) -> String {
        let from = archive.isEmpty ? "" : " from='\(archive)'"
        let set = last.map { "<rsm:set><rsm:last>\($0)</rsm:last></rsm:set>" } ?? ""
        let complete = last == nil ? " complete='true'" : ""
        return "< <iq type='result' id='{\(iq)}'\(from)><mam:fin\(complete)>\(set)</mam:fin></iq>\n"
    }
}
