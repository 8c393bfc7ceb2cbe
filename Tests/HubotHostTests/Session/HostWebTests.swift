import Testing

@testable import HubotHost

/// Web requests that scripts answer.
@Suite struct HostWebTests {
    @Test func `a request is sent in parts, and the answer comes in parts`() {
        play(
            running + """
                $ request /big 200000
                = request 1
                > web request 1 /big 196608 bytes …
                > web body 1 3392 bytes
                < {"type":"webResponse","id":1,"status":201,"headers":[],"body":"aGk=","last":false}
                < {"type":"webBody","id":1,"body":"IQ==","last":false}
                < {"type":"webBody","id":1,"body":"IQ==","last":true}
                = web 1 201 hi!!
                < {"type":"webBody","id":1,"body":"IQ==","last":true}
                """)
    }

    @Test func `requests wait for a host that is starting, and are sent in order`() {
        play(
            loading + """
                $ request /a
                = request 1
                $ request /b
                = request 2
                $ close 1
                < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
                . loaded
                $ robot
                . read the brain
                $ brain karma
                > brain ["karma"]
                > brain last
                > web request 2 /b
                $ close 2
                > web closed 2
                $ close 2
                """)
    }

    @Test func `a request that the host was answering is lost with it`() {
        play(
            running + """
                $ request /a
                = request 1
                > web request 1 /a
                $ exited signal 9
                = web 1 lost
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                $ request /b
                = request 2
                $ stop
                = web 2 lost
                $ request /c
                = refused
                """)
    }

    @Test func `an answer that is broken off or too long isn't passed on`() {
        var limits = HostSession.Limits()
        limits.webBody = 3
        play(
            running + """
                $ request /a
                = request 1
                > web request 1 /a
                < {"type":"webResponse","id":1,"status":200,"headers":[],"body":"aGk=","last":false}
                < {"type":"webBody","id":1,"error":"closed","last":true}
                > web closed 1
                = web 1 broken
                $ request /b
                = request 2
                > web request 2 /b
                < {"type":"webResponse","id":2,"status":200,"headers":[],"body":"aGloaQ==","last":true}
                > web closed 2
                = web 2 broken
                $ request /c
                = request 3
                > web request 3 /c
                < {"type":"webResponse","id":3,"status":200,"headers":[],"body":"?","last":true}
                > web closed 3
                = web 3 broken
                """, limits: limits)
    }

    @Test func `bodies of more than 8 MiB don't wait for the host`() {
        play(
            loading + """
                $ request /a 8000000
                = request 1
                $ request /b 1000000
                = refused
                $ request /c 100
                = request 2
                """)
    }
}
