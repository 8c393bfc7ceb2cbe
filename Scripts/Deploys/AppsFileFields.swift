import HeybotSupport

/// An error in apps.json: where it is, and what to write instead.
struct AppsFileError: Error, Hashable, CustomStringConvertible {
    /// The app and the environment, such as `shop/production`; empty for the whole file.
    let place: String
    let problem: String

    var description: String { place.isEmpty ? problem : "\(place): \(problem)" }
}

/// The fields of an app or of an environment in apps.json.
///
/// An environment has the fields of its app, unless it has its own.
struct AppsFileFields {
    /// The longest text in a field, in bytes.
    private static let longest = 2_000
    /// The greatest number of elements of a list.
    private static let most = 100

    /// The app and the environment, such as `shop/production`.
    let place: String
    private let own: [String: JSONValue]
    private let outer: [String: JSONValue]

    init(place: String, _ own: [String: JSONValue], outer: [String: JSONValue] = [:]) {
        (self.place, self.own, self.outer) = (place, own, outer)
    }

    /// The value of a field; nil if there is none, or it is null.
    func value(_ name: String) -> JSONValue? {
        let value = own[name] ?? outer[name]
        return value == .null ? nil : value
    }

    func error(_ problem: String) -> AppsFileError { AppsFileError(place: place, problem: problem) }

    func text(_ name: String) throws(AppsFileError) -> String? {
        guard let value = value(name) else { return nil }
        return try Self.text(value, name, place)
    }

    private static func text(_ value: JSONValue, _ name: String, _ place: String) throws(AppsFileError) -> String {
        guard let text = value.stringValue, !text.isEmpty, text.utf8.count <= longest else {
            throw AppsFileError(place: place, problem: "\(name) must be a text of at most \(longest) bytes")
        }
        return text
    }

    func flag(_ name: String) throws(AppsFileError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw error("\(name) must be true or false") }
        return flag
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(AppsFileError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.integerValue, range.contains(number) else {
            throw error("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A list of texts; a single text is a list of one.
    func texts(_ name: String) throws(AppsFileError) -> [String]? {
        guard let value = value(name) else { return nil }
        if value.stringValue != nil { return [try Self.text(value, name, place)] }
        guard case .array(let elements) = value, elements.count <= Self.most else {
            throw error("\(name) must be a text, or a list of at most \(Self.most) texts")
        }
        var texts: [String] = []
        for element in elements { texts.append(try Self.text(element, name, place)) }
        return texts
    }

    /// The fields of an object in a field.
    func fields(_ name: String) throws(AppsFileError) -> AppsFileFields? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { throw error("\(name) must be an object") }
        return AppsFileFields(place: "\(place) \(name)", members)
    }
}
