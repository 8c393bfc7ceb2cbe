import Testing

@testable import HeybotCommand

@Suite struct MergedExpositionTests {
    @Test func `the metrics of two processes are one text, in which each metric occurs once`() {
        let worker = """
            # HELP a The first.
            # TYPE a gauge
            a 1
            # TYPE c counter
            c{x="1"} 2

            """
        let gateway = """
            # TYPE b gauge
            b 5
            # HELP c The third.
            # TYPE c counter
            c{x="1"} 3

            """
        let merged = """
            # HELP a The first.
            # TYPE a gauge
            a 1
            # TYPE b gauge
            b{role="gateway"} 5
            # TYPE c counter
            c{x="1"} 2
            c{role="gateway",x="1"} 3

            """
        #expect(MergedExposition(worker, gateway, role: "gateway").text == merged)
    }
}
