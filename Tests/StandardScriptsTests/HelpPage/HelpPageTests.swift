import Testing

@testable import StandardScripts

/// The content of the help page.
@Suite struct HelpPageTests {
    private func page(_ sections: HelpPage.Section...) -> HelpPage {
        HelpPage(robotName: "marvin", sections: sections, nonce: "bm9uY2U=")
    }

    @Test func `without commands the page is under 12 KB`() {
        #expect(page(HelpPage.Section("a", "b")).html.utf8.count < 12 * 1024)
        #expect(page().html.utf8.count < 12 * 1024)
    }

    @Test func `it asks for nothing else`() throws {
        let page = page(HelpPage.Section("a", "b"), HelpPage.Section("c", "d"))
        let document = try Document(page)
        for token in document.tokens {
            guard case .start(let name, let attributes) = token else { continue }
            for attribute in attributes {
                #expect(!["src", "srcset", "style", "action", "poster", "data"].contains(attribute.name))
                #expect(!attribute.name.hasPrefix("on"))
                guard attribute.name == "href" else { continue }
                let start = name == "link" ? "data:image/svg+xml," : ["#", "?"].first { attribute.value.hasPrefix($0) }
                #expect(start.map(attribute.value.hasPrefix) ?? false)
            }
        }
        let rest = page.html.replacing("xmlns='http://www.w3.org/2000/svg'", with: "")
        for address in ["http:", "https:", "//www", "url(", "@import", "fetch(", "innerHTML"] {
            #expect(!rest.contains(address))
        }
    }

    @Test func `a command has its usage, purpose, example and badge`() throws {
        let document = try Document(
            page(
                HelpPage.Section(
                    name: "Switches",
                    commands: [
                        HelpPage.Command(
                            usage: "disable <script> in <any room>", purpose: "Switch it off",
                            example: "disable Rules in #dev", access: "admins"),
                        HelpPage.Command(usage: "scripts", example: "scripts"),
                        HelpPage.Command(usage: "a < b > <- c <>")
                    ])))
        #expect(
            document.texts(in: "div", "class", "usage")
                == ["disable <script> in <any room> admins only", "scripts", "a < b > <- c <>"])
        #expect(document.texts(in: "var") == ["<script>", "<any room>"])
        #expect(document.texts(in: "small") == ["admins only"])
        #expect(document.texts(in: "p", "class", "purpose") == ["Switch it off"])
        #expect(document.texts(in: "p", "class", "example") == ["such as disable Rules in #dev"])
        #expect(document.texts(in: "h1") == ["What marvin can do"])
        #expect(document.texts(in: "h2") == ["Switches"])
    }

    @Test func `the sentence at the top has an example for everyone`() throws {
        let secret = HelpPage.Command(usage: "secret", example: "secret 1", access: "admins")
        let plain = HelpPage.Command(usage: "plain <x>")
        let shown = HelpPage.Command(usage: "score <name>", example: "score swift")
        for (commands, example) in [
            ([secret, plain, shown], "score swift"), ([secret, plain], "plain <x>"), ([secret], "secret 1")
        ] {
            let document = try Document(page(HelpPage.Section(name: "a", commands: commands)))
            let sentence = "Say a command with the robot's name in front: marvin \(example)"
            #expect(document.texts(in: "p", "class", "lead") == [sentence])
        }
    }

    @Test func `the page of a robot without commands has no search`() throws {
        for page in [page(), page(HelpPage.Section("Empty"))] {
            let document = try Document(page)
            #expect(
                document.texts(in: "p", "class", "lead")
                    == ["Nothing yet. Give marvin a script with commands, and they will appear here."])
            #expect(document.texts(in: "h1") == ["What marvin can do"])
            for name in ["form", "script", "nav", "h2"] { #expect(document.texts(in: name).isEmpty) }
        }
    }

    @Test func `sections without commands are left out, and one section needs no links`() throws {
        let document = try Document(page(HelpPage.Section("Empty"), HelpPage.Section("Rules", "the rules")))
        #expect(document.texts(in: "h2") == ["Rules"])
        #expect(document.texts(in: "nav").isEmpty)
    }

    @Test func `each section has a link to it`() throws {
        let document = try Document(
            page(
                HelpPage.Section("Rules", "a"), HelpPage.Section("commands", "b"), HelpPage.Section("q", "c"),
                HelpPage.Section("リマインダー", "d"), HelpPage.Section("a b\"><\u{338}/ é%20", "e"),
                HelpPage.Section("", "f")))
        let anchors = [
            "script-rules", "script-commands", "script-q", "script-リマインダー", "script-a-b-\u{338}-é-20", "script"
        ]
        #expect(document.values(of: "id", in: "h2") == anchors)
        #expect(document.values(of: "href", in: "a").filter { $0.hasPrefix("#script") } == anchors.map { "#" + $0 })
    }

    @Test func `anchors are given once`() {
        var anchors = HTMLAnchorGenerator()
        let names = ["a", "A", "a-2", "a", "a 2", "é", "e\u{301}", "C++", "C#", "", "-"]
        let given = names.map { anchors.anchor(for: $0) }
        #expect(
            given == [
                "script-a", "script-a-2", "script-a-2-2", "script-a-3", "script-a-2-3", "script-é", "script-e\u{301}-2",
                "script-c", "script-c-2", "script", "script-2"
            ])
        var many = HTMLAnchorGenerator()
        var all: Set<String> = []
        for number in 0..<5_000 { all.insert(many.anchor(for: number % 2 == 0 ? "same" : "same-\(number)")) }
        #expect(all.count == 5_000)
    }
}
