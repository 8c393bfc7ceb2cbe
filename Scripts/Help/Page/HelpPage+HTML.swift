extension HelpPage {
    /// The complete document.
    var html: String { document.source }

    private var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>What \(robotName) can do</title>
        <link rel="icon" href="\(Self.icon)">
        <style nonce="\(nonce)">
        \(Self.style)
        </style>
        </head>
        <body>
        \(sections.isEmpty ? nothing : commands)
        </body>
        </html>

        """
    }

    /// The icon: a speech bubble.
    private static let icon: HTML = """
        data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232a7ab5' \
        d='M3 1h10a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H8l-4 3v-3H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2z'/%3E%3Cpath fill='%23fff' \
        d='M4 4.5h8v1.2H4zm0 3h5v1.2H4z'/%3E%3C/svg%3E
        """

    /// The content for a robot without commands.
    private var nothing: HTML {
        """
        <main>
        <h1>What <bdi>\(robotName)</bdi> can do</h1>
        <p class="lead">Nothing yet. Give <bdi>\(robotName)</bdi> a script with commands, and they will appear here.</p>
        </main>
        """
    }

    private var commands: HTML {
        let search = Search(query)
        var anchors = HTMLAnchorGenerator()
        var links: [HTML] = []
        var sectionElements: [HTML] = []
        var count = 0
        for section in sections {
            let isFound = section.commands.map { search.finds($0, in: section) }
            let found = isFound.count { $0 }
            let anchor = anchors.anchor(for: section.name)
            links.append(Self.link(to: section, anchor, isFound: found > 0))
            sectionElements.append(Self.section(section, anchor, isFound: isFound))
            count += found
        }
        let all = sections.reduce(0) { $0 + $1.commands.count }
        let unit = all == 1 ? "command" : "commands"
        return """
            <a class="skip" href="#commands">Skip to the commands</a>
            <header>
            <h1>What <bdi>\(robotName)</bdi> can do</h1>
            <p class="lead">Say a command with the robot's name in front: <code><bdi>\(robotName)</bdi> \
            <bdi>\(example)</bdi></code></p>
            </header>
            <form role="search">
            <label for="q">Search commands</label>
            <input type="search" id="q" name="q" value="\(query)" placeholder="Search commands" autocomplete="off" \
            autocapitalize="none" spellcheck="false" aria-keyshortcuts="/">
            <kbd aria-hidden="true">/</kbd>
            <noscript><button>Search</button></noscript>
            <p role="status" aria-live="polite">\(search.isEmpty ? "" : "\(count) of ")\("\(all) \(unit)")</p>
            </form>
            \(Self.contents(links), if: links.count > 1)
            <main id="commands" tabindex="-1">
            <p class="none"\(" hidden", if: count > 0)>Nothing found: no command has all of these words. \
            <a href="?">Show all commands</a></p>
            \(sectionElements)
            </main>
            <script type="module" nonce="\(nonce)">
            \(Self.script)
            </script>
            """
    }

    /// The example in the introduction: a command for everyone, if there is one.
    private var example: String {
        let all = sections.flatMap(\.commands)
        let open = all.filter { $0.access == nil && !$0.isHeard }
        let plainest = open.filter { $0.missingSettings == nil }.compactMap(\.example).min { $0.count < $1.count }
        return plainest ?? open.first?.usage ?? all.first.map { $0.example ?? $0.usage } ?? ""
    }

    private static func contents(_ links: [HTML]) -> HTML {
        """
        <nav aria-label="Topics">
        <ul role="list">
        \(links)
        </ul>
        </nav>
        """
    }

    private static func link(to section: Section, _ anchor: String, isFound: Bool) -> HTML {
        """
        <li\(" hidden", if: !isFound)><a href="#\(anchor)"><bdi>\(section.name)</bdi></a></li>
        """
    }

    private static func section(_ section: Section, _ anchor: String, isFound: [Bool]) -> HTML {
        """
        <section\(" hidden", if: !isFound.contains(true))>
        <h2 id="\(anchor)"><bdi>\(section.name)</bdi></h2>
        <ul role="list">
        \(zip(section.commands, isFound).map(item))
        </ul>
        </section>
        """
    }

    private static func item(_ command: Command, isFound: Bool) -> HTML {
        let purpose: HTML? = command.purpose.map {
            """
            <p class="purpose" dir="auto">\($0)</p>
            """
        }
        let example: HTML? = command.example.map {
            """
            <p class="example">such as <code dir="auto">\($0)</code></p>
            """
        }
        let access: HTML? = command.access.map {
            """
             <small>\($0) only</small>
            """
        }
        let heard: HTML = " <small>without the name</small>"
        let missing: HTML? = command.missingSettings.map {
            """
             <small>needs \($0)</small>
            """
        }
        return """
            <li\(" hidden", if: !isFound)>
            <div class="usage"><code dir="auto">\(usage(command.usage))</code>\(access ?? "")\
            \(heard, if: command.isHeard)\(missing ?? "")</div>
            <div class="about">\(purpose ?? "")\(example ?? "", if: command.example != command.usage)</div>
            </li>
            """
    }

    /// Returns a usage with its placeholders marked up.
    private static func usage(_ usage: String) -> HTML {
        var html: HTML = ""
        var rest = usage[...]
        while let placeholder = rest.firstMatch(of: /<\w[^<>]*>/) {
            html += "\(rest[..<placeholder.range.lowerBound])<var>\(placeholder.output)</var>"
            rest = rest[placeholder.range.upperBound...]
        }
        html += "\(rest)"
        return html
    }
}
