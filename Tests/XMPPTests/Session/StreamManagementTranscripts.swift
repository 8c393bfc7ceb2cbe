/// Parts of transcripts with a server that has stream management (XEP-0198).
protocol StreamManagementTranscripts {}

extension StreamManagementTranscripts {
    /// The server's answer that it keeps the session.
    static var enabled: String { "< <sm:enabled id='s1' resume='true'/>\n" }

    /// A login at a server with stream management, which has acknowledged the presence.
    var aloneCounted: String { Self.counted(alone) + Self.enabled + "< <sm:a h='1'/>\n" }

    /// The same in a room; the server has sent three stanzas since.
    var inDevCounted: String {
        Self.counted(inDev).replacing(knock, with: "\(knock)\(Self.enabled)< <sm:a h='3'/>\n")
    }

    /// Returns a login in which the server offers stream management, and the robot enables it.
    static func counted(_ transcript: String) -> String {
        transcript.replacing(
            "<stream:features><bind:bind/></stream:features>",
            with: "<stream:features><bind:bind/><sm:sm/></stream:features>"
        )
        .replacing(
            "> <presence>{caps}</presence>\n",
            with: "> <sm:enable resume='true'/>\n> <presence>{caps}</presence>\n> <sm:r/>\n")
    }

    /// The login on another connection, up to the features after it.
    func comeBack(_ features: String = "<bind:bind/><sm:sm/>") -> String {
        """
        ^ the connection breaks
        > <stream:stream to='ship.org' from='marvin@ship.org'>
        < <stream:features><sasl:mechanisms><sasl:mechanism>PLAIN</sasl:mechanism></sasl:mechanisms></stream:features>
        > <sasl:auth mechanism='PLAIN'>AG1hcnZpbgBwZW5jaWw=</sasl:auth>
        < <sasl:success/>
        > <stream:stream to='ship.org' from='marvin@ship.org'>
        < <stream:features>\(features)</stream:features>

        """
    }

    /// A message of the robot in the room.
    func toDev(_ text: String) -> String {
        "> <message to='dev@muc.ship.org' type='groupchat'><body>\(text)</body></message>\n"
    }

    /// The beginning of a new session in the room.
    var bindAgain: String {
        """
        > <iq type='set' id='bind'><bind:bind/></iq>
        < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r2</bind:jid></bind:bind></iq>

        """
    }

    /// The end of a stream in which the robot has sent one stanza, and the server acknowledges another number.
    static func refusal(of count: Int) -> String {
        """
        > <stream:error><errors:undefined-condition/>
          <sm:handled-count-too-high h='\(count)' send-count='1'/></stream:error>
        > </stream:stream>
        x the server acknowledged \(count) stanzas, but the robot has sent 1
        """
    }
}
