import Foundation
import HeybotCalculation
import Testing

/// What reference.py worked out by other tools comes out the same here.
@Suite struct ReferenceTests {
    private struct Row: Decodable {
        let text: String
        /// A fraction, or a whole number.
        let exact: String?
        let approximate: Double?
        let printed: String?
    }

    @Test func `a thousand expressions come to what other tools say`() throws {
        let file = try #require(Bundle.module.url(forResource: "reference", withExtension: "json"))
        let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: file))
        #expect(rows.count > 1_000)
        for row in rows {
            let value: Quantity
            do { value = try Calculator().evaluate(row.text) } catch {
                Issue.record("\(row.text): \(error)")
                continue
            }
            if let exact = row.exact {
                #expect(value.fraction == exact, "\(row.text)")
            } else if let approximate = row.approximate {
                let difference = (value.approximation - approximate).magnitude
                #expect(difference <= approximate.magnitude * 1e-9, "\(row.text)")
            } else {
                #expect(value.description == row.printed, "\(row.text)")
            }
        }
    }
}
