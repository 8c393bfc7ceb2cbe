import Foundation
import Heybot
import Synchronization
import TestServers
import Testing

@testable import StandardScripts

/// The scripts for teams, with one robot on ngircd and Prosody at once.
@Suite(.timeLimit(.minutes(15))) struct TeamScriptsTests {
    @Test(.enabled(if: TwoNetworks.isPossible))
    func `people are reminded on the other network, if the robot knows them`() async throws {
        try await TwoNetworks.run { networks in
            let (bob, dave, ada, room) = (networks.bob, networks.dave, networks.ada, networks.room)
            bob.send("PRIVMSG #dev :marvin: remind xmpp:ada@xmpp.test in 1 second to review")
            try await bob.expect("PRIVMSG #dev :bob: I don't know ada@xmpp.test.")
            // She needs to be in the room only.
            try await networks.adaJoins()
            bob.send("PRIVMSG #dev :marvin: remind xmpp:ada@xmpp.test in 1 second to review")
            try await bob.expect("PRIVMSG #dev :bob: OK, I'll remind ", "in private")
            let reminder = try await ada.expect("<body>Reminder from bob: review</body>")
            #expect(!reminder.contains("groupchat"))

            // Dave has said nothing yet, and somebody who isn't there is a stranger.
            ada.say("marvin: remind irc:dave in 1 second to eat", in: room)
            try await dave.expect("PRIVMSG dave :Reminder from Ada (xmpp:ada@xmpp.test): eat")
            ada.say("marvin: remind irc:mallory in 1 second to eat", in: room)
            try await ada.expect("know mallory. I remind people in private if ")
            ada.tell("marvin@xmpp.test", "remind me in 1 second to stretch")
            try await ada.expect("<body>Reminder: stretch</body>")
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `a reminder waits until a person on the other network comes in`() async throws {
        try await TwoNetworks.run { networks in
            networks.bob.send("PRIVMSG #dev :marvin: remind xmpp:ada@xmpp.test when she's back to call me")
            try await networks.bob.expect("PRIVMSG #dev :bob: OK, I'll remind ", "when they are back")
            try await networks.adaJoins()
            let reminder = try await networks.ada.expect("<body>Reminder from bob: call me (asked at ")
            #expect(!reminder.contains("groupchat"))
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `messages, sightings and facts pass from one network to the other`() async throws {
        try await TwoNetworks.run { networks in
            let (bob, ada, room) = (networks.bob, networks.ada, networks.room)
            bob.send("PRIVMSG #dev :marvin: tell xmpp:ada@xmpp.test the build is green")
            try await bob.expect("PRIVMSG #dev :bob: OK, I'll tell ")
            try await networks.adaJoins()
            let letter = try await ada.expect("A message from bob, ", ": the build is green</body>")
            #expect(!letter.contains("groupchat"))
            ada.say("marvin: tell irc:bob lunch is ready", in: room)
            try await ada.expect("<body>Ada: OK, I", "tell bob")
            bob.send("PRIVMSG #dev :hello")
            try await bob.expect("PRIVMSG bob :A message from Ada (xmpp:ada@xmpp.test), ", ": lunch is ready")

            ada.say("marvin: seen bob", in: room)
            try await ada.expect("<body>I last saw bob on irc ", "but not here.</body>")
            bob.send("PRIVMSG #dev :marvin: who was here today?")
            try await bob.expect("PRIVMSG #dev :Today I've seen ", "bob")
            bob.send("PRIVMSG #dev :marvin: remember deploys are on tuesday")
            try await bob.expect("PRIVMSG #dev :bob: OK: deploys are on tuesday")
            ada.say("marvin: when are deploys?", in: room)
            try await ada.expect("<body>deploys are on tuesday</body>")
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `commands are made in a room, and run at a time`() async throws {
        try await TwoNetworks.run { networks in
            let (bob, ada, room) = (networks.bob, networks.ada, networks.room)
            try await networks.adaJoins()
            ada.say("marvin: when I say hooray say Well done, <user>!", in: room)
            try await ada.expect("<body>Ada: OK, ", "hooray", "is a command in this room now.</body>")
            ada.say("marvin: hooray", in: room)
            try await ada.expect("<body>Well done, Ada!</body>")
            bob.send("PRIVMSG #dev :marvin: in 1 second run ping")
            try await bob.expect("PRIVMSG #dev :bob: OK, I'll run \"ping\"")
            try await bob.expect("PRIVMSG #dev :", "PONG")
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `people vote in a channel and in private`() async throws {
        try await TwoNetworks.run { networks in
            let (bob, dave) = (networks.bob, networks.dave)
            bob.send("PRIVMSG #dev :marvin: poll lunch: pizza, curry")
            try await bob.expect("PRIVMSG #dev :Poll 1: lunch")
            bob.send("PRIVMSG #dev :marvin: vote 2")
            try await bob.expect("PRIVMSG #dev :bob: Poll 1: you vote for curry.")
            dave.send("PRIVMSG marvin :vote curry")
            try await dave.expect("PRIVMSG dave :Poll 1: you vote for curry.")
            dave.send("PRIVMSG marvin :vote 1 in #dev")
            try await dave.expect("PRIVMSG dave :Poll 1: you vote for pizza now")
            dave.send("PRIVMSG marvin :vote 2 in dev")
            try await dave.expect("PRIVMSG dave :Poll 1: you vote for curry now")
            bob.send("PRIVMSG #dev :marvin: end poll")
            try await bob.expect("PRIVMSG #dev :Poll 1 is over: lunch")
            try await bob.expect("PRIVMSG #dev :curry: 2 (bob, dave)")
            try await bob.expect("PRIVMSG #dev :curry wins with 2 of 2 votes.")
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `a standup asks people on both networks in private`() async throws {
        try await TwoNetworks.run { networks in
            let (bob, ada, room) = (networks.bob, networks.ada, networks.room)
            try await networks.adaJoins()
            ada.say("marvin: standup every weekday at 9:30: irc:bob, xmpp:ada@xmpp.test", in: room)
            try await ada.expect("<body>Ada: The standup is every weekday at 09:30, with bob, Ada, ")
            ada.say("marvin: start standup", in: room)
            try await bob.expect("PRIVMSG bob :Standup of xmpp:\(room): what have you done")
            bob.send("PRIVMSG marvin :what about the old parser?")
            try await bob.expect("PRIVMSG bob :Thanks, I'll post that in xmpp:\(room).")
            _ = try await ada.find("the question", since: 0) {
                $0.contains("<body>Standup of xmpp:\(room): ") && !$0.contains("groupchat")
            }
            ada.tell("marvin@xmpp.test", "reviews")
            try await ada.expect("<body>Thanks, I", "post that in xmpp:\(room).")
            ada.say("marvin: end standup", in: room)
            try await ada.expect("<body>Standup:\nbob: what about the old parser?\nAda: reviews</body>")
        }
    }

    @Test(.enabled(if: TwoNetworks.isPossible))
    func `the news of a feed are posted once`() async throws {
        let count = Mutex(1)
        let web = try ScriptedHTTPServer { client in
            while client.head() != nil {
                let feed = Self.rss(items: count.withLock { $0 })
                guard client.answer("200 OK", ["Content-Type: application/rss+xml"], feed) else { return }
            }
        }
        defer { web.stop() }
        try await TwoNetworks.run { networks in
            let (ada, room) = (networks.ada, networks.room)
            try await networks.adaJoins()
            ada.say("marvin: feed add \(web.url("/feed.xml"))", in: room)
            try await ada.expect("follows 1. News (127.0.0.1")
            for number in 2...3 {
                count.withLock { $0 = number }
                // Instead of a quarter of an hour later.
                try await read(room, networks.robot)
                let news = try await ada.expect("<body>News: ")
                #expect(news.contains("<body>News: Item \(number) - https://example.org/\(number)</body>"), "\(news)")
            }
        }
    }

    /// Has the robot read the feed of a room now.
    private func read(_ room: String, _ robot: Robot) async throws {
        let id = Room.ID(adapter: "xmpp", value: room)
        let feeds = try await Feeds.FeedBook(brain: robot.brain).subscriptions(of: id)
        let feed = try #require(feeds.first)
        try await robot.schedule(
            Feeds.reading, Feeds.Place(room: id, feed: feed.id), id: feed.id, needing: "xmpp", at: .now)
    }

    /// A feed with items that are called by their numbers, the newest one first.
    private static func rss(items count: Int) -> String {
        let items = (1...count).reversed().map { number in
            "<item><guid>\(number)</guid><title>Item \(number)</title><link>https://example.org/\(number)</link></item>"
        }
        return "<rss version='2.0'><channel><title>News</title>\(items.joined())</channel></rss>"
    }
}
