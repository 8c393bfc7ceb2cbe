import HeybotSupport

// The messages that come with each command are read without `JSONDecoder`, which would take most of their time.

extension HostMessage {
    /// Parses a line with a message that is often sent, in the usual form; nil if it is another one.
    init?(plainLine line: [UInt8]) {
        var reader = PlainJSONReader(line)
        guard reader.skip("{\"type\":\"") else { return nil }
        if reader.skip("send\",") {
            guard let request = SendRequest(&reader) else { return nil }
            self = .send(request)
        } else if reader.skip("result\",") {
            guard let result = RunResult(&reader) else { return nil }
            self = .result(result)
        } else if reader.skip("ended\",") {
            var (run, error): (Int?, String?) = (nil, nil)
            let isPlain = reader.members { name, reader in
                switch name {
                case "run": reader.read(&run)
                case "error": reader.read(&error)
                default: false
                }
            }
            guard isPlain, let run else { return nil }
            self = .ended(run: run, error: error)
        } else {
            return nil
        }
    }
}

extension SendRequest {
    fileprivate init?(_ reader: inout PlainJSONReader) {
        var (request, run): (Int?, Int?) = (nil, nil)
        var (kind, room, user, script): (String?, String?, String?, String?) = (nil, nil, nil, nil)
        var strings: [String]?
        let isPlain = reader.members { name, reader in
            switch name {
            case "request": reader.read(&request)
            case "kind": reader.read(&kind)
            case "strings": reader.read(&strings)
            case "room": reader.read(&room)
            case "user": reader.read(&user)
            case "run": reader.read(&run)
            case "script": reader.read(&script)
            default: false
            }
        }
        guard isPlain, let request, let kind, let strings else { return nil }
        self.init(request: request, kind: kind, strings: strings, room: room, user: user, run: run, script: script)
    }
}

extension RunResult {
    fileprivate init?(_ reader: inout PlainJSONReader) {
        var number: Int?
        // The number of the run is only known at the end.
        var result = RunResult(run: 0)
        let isPlain = reader.members { name, reader in
            switch name {
            case "run": reader.read(&number)
            case "matched": reader.read(&result.matched)
            case "held": reader.read(&result.held)
            case "stopped": reader.read(&result.stopped)
            case "ended": reader.read(&result.ended)
            case "finished": reader.read(&result.finished)
            case "text": reader.read(&result.text)
            case "error": reader.read(&result.error)
            case "continue": reader.read(&result.continue)
            case "strings": reader.read(&result.strings)
            // With `held`; the robot needs no match.
            case "match": reader.skipTexts()
            default: false
            }
        }
        guard isPlain, let number else { return nil }
        result.run = number
        self = result
    }
}
