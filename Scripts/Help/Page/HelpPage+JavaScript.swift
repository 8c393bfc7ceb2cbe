extension HelpPage {
    /// The script that filters the commands while the user types, with the same rules as `Search`.
    static let script: HTML = #"""
        const box = document.querySelector("input");
        const count = document.querySelector("[role=status]");
        const none = document.querySelector(".none");
        const main = document.querySelector("main");
        const links = document.querySelectorAll("nav li");
        const groups = Array.from(document.querySelectorAll("section"), (section, index) => {
            const name = section.querySelector("h2").textContent;
            const commands = Array.from(section.querySelectorAll("li"), item => {
                const purpose = item.querySelector(".purpose")?.textContent ?? "";
                return { item, key: key(`${item.querySelector("code").textContent} ${purpose} ${name}`) };
            });
            return { commands, parts: [section, links[index]].filter(Boolean) };
        });
        const all = groups.flatMap(group => group.commands);

        // The case-folded text, with a newline before each beginning of a word.
        function key(text) {
            const folded = Array.from(text, c => c.toUpperCase().toLowerCase()).join("");
            let key = "", before = "";
            for (const c of folded) {
                key += /^[\p{LC}\p{Lm}\p{M}\p{N}]{2}$/u.test(before + c) ? c : "\n" + c;
                before = c;
            }
            return key;
        }

        // The words of a query, as keys.
        function words(query) {
            return query.split(/\p{White_Space}+/u).filter(Boolean).map(key);
        }

        function filter() {
            const wanted = words(box.value);
            for (const { commands, parts } of groups) {
                for (const { item, key } of commands) {
                    item.hidden = !wanted.every(word => key.includes(word));
                }
                for (const part of parts) part.hidden = commands.every(({ item }) => item.hidden);
            }
            const found = all.filter(({ item }) => !item.hidden).length;
            none.hidden = found > 0;
            count.textContent = (wanted.length ? `${found} of ` : "") + all.length
                + (all.length == 1 ? " command" : " commands");
        }

        box.addEventListener("input", () => {
            filter();
            if (main.getBoundingClientRect().top < 0) main.scrollIntoView({ behavior: "instant" });
        });
        box.form.addEventListener("submit", event => {
            event.preventDefault();
            history.replaceState(null, "", "?" + new URLSearchParams({ q: box.value }));
            main.focus({ preventScroll: true });
        });
        document.addEventListener("keydown", event => {
            if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
            if (event.key == "/" && event.target != box) {
                event.preventDefault();
                box.focus();
                box.select();
            } else if (event.key == "Escape" && box.value) {
                event.preventDefault();
                box.value = "";
                filter();
            }
        });
        // The browser may have restored the input.
        addEventListener("pageshow", filter);
        """#
}
