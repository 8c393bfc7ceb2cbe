import FoundationEssentials
import Heybot
import Testing

@testable import StandardScripts

@Suite struct PageTests {
    private let ada = Self.user("ada")
    private let grace = Self.user("grace")
    private let plan = Page.Plan(interval: 300, attempts: 2)
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private static func user(_ name: String) -> User {
        User(id: User.ID(adapter: "irc", value: name), name: name)
    }

    private func page(to people: User...) -> Page {
        Page(
            number: 3, rota: "ops", text: "disk full", author: Self.user("bob"),
            room: Room(id: Room.ID(adapter: "irc", value: "#dev")), date: start, people: people)
    }

    @Test func `each person is paged a few times, then the next one, and after two rounds nobody`() {
        var page = page(to: ada, grace)
        var steps: [Page.Step] = []
        for attempt in 0..<9 {
            let now = start.addingTimeInterval(Double(attempt) * 300)
            if let step = page.nextStep(at: now, plan) { steps.append(step) }
            #expect(page.nextStep(at: now, plan) == nil || attempt == 8)
        }
        #expect(
            steps == [
                .page(ada, attempt: 1, previous: nil), .page(ada, attempt: 2, previous: nil),
                .page(grace, attempt: 1, previous: ada), .page(grace, attempt: 2, previous: nil),
                .page(ada, attempt: 1, previous: grace), .page(ada, attempt: 2, previous: nil),
                .page(grace, attempt: 1, previous: ada), .page(grace, attempt: 2, previous: nil), .giveUp
            ])
    }

    @Test func `the next step is due after the interval, or if the clock was set back`() {
        var page = page(to: ada)
        #expect(page.nextStep(at: start, plan) != nil)
        #expect(!page.isDue(at: start.addingTimeInterval(299), plan))
        #expect(page.isDue(at: start.addingTimeInterval(300), plan))
        #expect(page.isDue(at: start.addingTimeInterval(-86_400), plan))
    }

    @Test func `it knows who has been paged, and whom it concerns`() {
        var page = page(to: ada, grace)
        #expect(page.paged(plan) == [])
        _ = page.nextStep(at: start, plan)
        #expect(page.paged(plan) == [ada])
        _ = page.nextStep(at: start.addingTimeInterval(300), plan)
        #expect(page.paged(plan) == [ada])
        _ = page.nextStep(at: start.addingTimeInterval(600), plan)
        #expect(page.paged(plan) == [ada, grace])
        #expect(page.concerns([grace]))
        #expect(page.concerns([Self.user("bob")]))
        #expect(!page.concerns([Self.user("mallory")]))
        // The same name on another network isn't the same person.
        #expect(!page.concerns([User(id: User.ID(adapter: "xmpp", value: "ada"), name: "ada")]))
    }

    @Test func `a page without people is given up`() {
        var page = page()
        #expect(page.nextStep(at: start, plan) == .giveUp)
    }

    @Test func `a page survives being stored`() throws {
        var page = page(to: ada, grace)
        _ = page.nextStep(at: start, plan)
        let stored = try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(page))
        #expect(stored == page)
    }

    @Test(arguments: [Int.min, Int.max]) func `whatever the brain has, nothing traps`(_ attempts: Int) throws {
        let text = String(decoding: try JSONEncoder().encode(page(to: ada)), as: UTF8.self)
        #expect(text.contains("\"attempts\":0"))
        let changed = text.replacing("\"attempts\":0", with: "\"attempts\":\(attempts)")
        var page = try JSONDecoder().decode(Page.self, from: Data(changed.utf8))
        _ = page.paged(plan)
        #expect(page.nextStep(at: start, plan) != nil)
    }

    @Test func `hostile names and texts stay on one line`() {
        let name = "x\nQUIT \u{202E}\(String(repeating: "y", count: 500))"
        let author = User(id: User.ID(adapter: "irc", value: "x"), name: name)
        let page = Page(
            number: 1, rota: "ops", text: "t", author: author, room: Room(id: Room.ID(adapter: "irc", value: "#a\nb")),
            date: start, people: [ada])
        let message = page.message(attempt: 1)
        #expect(!message.contains { $0.isNewline })
        #expect(!message.unicodeScalars.contains("\u{202E}"))
        #expect(message.count < 200)
    }
}
