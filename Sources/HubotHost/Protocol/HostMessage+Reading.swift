import HeybotSupport

// The messages that come with each command are read without `JSONDecoder`, which would take most of their time.

extension HostMessage {
    /// Parses a line with a message that is often sent.
    ///
    /// - Throws: ``PlainJSONReader/Unusual`` if it is another one, or isn't in the usual form.
    init(plainLine line: [UInt8]) throws(PlainJSONReader.Unusual) {
        var reader = PlainJSONReader(line)
        try reader.expect("{\"type\":\"")
        if reader.skip("send\",") {
            self = .send(try SendRequest(&reader))
        } else if reader.skip("result\",") {
            self = .result(try RunResult(&reader))
        } else {
            try reader.expect("ended\",")
            var (run, error): (Int?, String?) = (nil, nil)
            try reader.members { name, reader throws(PlainJSONReader.Unusual) in
                switch name {
                case "run": try reader.read(&run)
                case "error": try reader.read(&error)
                default: throw PlainJSONReader.Unusual()
                }
            }
            guard let run else { throw PlainJSONReader.Unusual() }
            self = .ended(run: run, error: error)
        }
    }
}

extension SendRequest {
    fileprivate init(_ reader: inout PlainJSONReader) throws(PlainJSONReader.Unusual) {
        var (request, run): (Int?, Int?) = (nil, nil)
        var (kind, room, user, script): (String?, String?, String?, String?) = (nil, nil, nil, nil)
        var strings: [String]?
        try reader.members { name, reader throws(PlainJSONReader.Unusual) in
            switch name {
            case "request": try reader.read(&request)
            case "kind": try reader.read(&kind)
            case "strings": try reader.read(&strings)
            case "room": try reader.read(&room)
            case "user": try reader.read(&user)
            case "run": try reader.read(&run)
            case "script": try reader.read(&script)
            default: throw PlainJSONReader.Unusual()
            }
        }
        guard let request, let kind, let strings else { throw PlainJSONReader.Unusual() }
        self.init(request: request, kind: kind, strings: strings, room: room, user: user, run: run, script: script)
    }
}

extension RunResult {
    fileprivate init(_ reader: inout PlainJSONReader) throws(PlainJSONReader.Unusual) {
        var number: Int?
        // The number of the run is only known at the end.
        var result = RunResult(run: 0)
        try reader.members { name, reader throws(PlainJSONReader.Unusual) in
            switch name {
            case "run": try reader.read(&number)
            case "matched": try reader.read(&result.matched)
            case "held": try reader.read(&result.held)
            case "stopped": try reader.read(&result.stopped)
            case "ended": try reader.read(&result.ended)
            case "finished": try reader.read(&result.finished)
            case "text": try reader.read(&result.text)
            case "error": try reader.read(&result.error)
            case "continue": try reader.read(&result.continue)
            case "strings": try reader.read(&result.strings)
            // With `held`; the robot needs no match.
            case "match": try reader.skipTexts()
            default: throw PlainJSONReader.Unusual()
            }
        }
        guard let number else { throw PlainJSONReader.Unusual() }
        result.run = number
        self = result
    }
}
