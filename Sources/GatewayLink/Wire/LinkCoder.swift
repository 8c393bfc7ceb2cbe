import FoundationEssentials

/// Turns frames into bytes, and bytes into frames.
package enum LinkCoder {
    /// Encodes a frame of a gateway.
    ///
    /// - Throws: `EncodingError` if it has a number that isn't finite.
    package static func encode(_ frame: GatewayFrame) throws -> FrameBytes {
        FrameBytes(json: try frame.plainJSON ?? json(frame))
    }

    /// Encodes a frame of a worker.
    ///
    /// - Throws: `EncodingError` if it has a number that isn't finite.
    package static func encode(_ frame: WorkerFrame) throws -> FrameBytes {
        if let json = frame.plainJSON { return FrameBytes(json: json) }
        guard case .call(var call) = frame, let file = call.operation.fileContent else {
            return FrameBytes(json: try json(frame))
        }
        call.operation.fileContent = nil
        return FrameBytes(json: try json(WorkerFrame.call(call)), file: file)
    }

    /// Decodes a frame of a gateway.
    ///
    /// - Throws: `DecodingError` if it isn't one.
    package static func gatewayFrame(_ bytes: FrameBytes) throws -> GatewayFrame {
        if let frame = try? GatewayFrame(plainJSON: bytes.json) { return frame }
        return try JSONDecoder().decode(GatewayFrame.self, from: Data(bytes.json))
    }

    /// Decodes a frame of a worker.
    ///
    /// - Throws: `DecodingError` if it isn't one.
    package static func workerFrame(_ bytes: FrameBytes) throws -> WorkerFrame {
        if bytes.file.isEmpty, let frame = try? WorkerFrame(plainJSON: bytes.json) { return frame }
        let frame = try JSONDecoder().decode(WorkerFrame.self, from: Data(bytes.json))
        guard !bytes.file.isEmpty, case .call(var call) = frame else { return frame }
        call.operation.fileContent = bytes.file
        return .call(call)
    }

    private static func json(_ frame: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(frame))
    }
}
