extension HelpPage {
    /// The page's style sheet, for phones, desktops, dark mode and print.
    static let style: HTML = """
        :root {
            color-scheme: light dark;
            --paper: #fcfbf9; --ink: #23262b; --soft: #5c626b; --line: #e6e2db; --edge: #868b93;
            --chip: #f2efe9; --link: #1a5a8a;
        }
        @media screen and (prefers-color-scheme: dark) {
            :root {
                --paper: #17181b; --ink: #e7e5e0; --soft: #a4a8af; --line: #2d2f34; --edge: #757a82;
                --chip: #25272c; --link: #8ec3ec;
            }
        }
        *, ::before, ::after { box-sizing: border-box; margin: 0; padding: 0; }
        [hidden] { display: none !important; }
        html {
            background: var(--paper); color: var(--ink);
            font: 1.0625rem/1.5 system-ui, sans-serif;
            -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
            overflow-wrap: anywhere; scroll-padding-top: 1rem;
        }
        body { max-width: 57rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 3.5rem) clamp(1rem, 4vw, 2.5rem) 5rem; }
        h1 { font-size: clamp(1.625rem, 1.3rem + 1.5vw, 2.125rem); line-height: 1.2; letter-spacing: -.015em; }
        h2 { font-size: 1.1875rem; line-height: 1.3; margin: 2.75rem 0 .625rem; }
        a { color: var(--link); text-underline-offset: .2em; border-radius: .125rem; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        main:focus { outline: none; }
        ul { list-style: none; }
        .lead { margin-top: .5rem; color: var(--soft); }

        code, kbd { font: .875em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
        code {
            display: inline-block; max-width: 100%; padding: .125em .5em; white-space: pre-wrap;
            background: var(--chip); color: var(--ink); border: 1px solid transparent; border-radius: .375em;
        }
        var { color: var(--link); unicode-bidi: isolate; font-synthesis-style: none; }
        small {
            font-size: .75rem; line-height: 1.4; white-space: nowrap; color: var(--soft);
            padding: 0 .4375rem; border: 1px solid var(--edge); border-radius: 1rem;
        }

        .skip { position: absolute; left: -99rem; padding: .5rem 1rem; background: var(--paper); z-index: 2; }
        .skip:focus { left: .5rem; top: .5rem; }

        form {
            display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .875rem;
            margin-top: 1rem; padding: .75rem 0; background: var(--paper); position: relative; z-index: 1;
        }
        label { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
        input, button {
            font: inherit; color: inherit; padding: .5rem .875rem;
            background: transparent; border: 1px solid var(--edge); border-radius: .625rem;
        }
        input { flex: 1 1 14rem; min-width: 0; appearance: none; }
        input::placeholder { color: var(--soft); opacity: 1; }
        kbd { display: none; }
        [role=status] { color: var(--soft); font-size: .9375rem; font-variant-numeric: tabular-nums; }

        nav ul { display: flex; flex-wrap: wrap; gap: 0 1.125rem; font-size: .9375rem; line-height: 1.9; }
        nav a { text-decoration: none; }
        nav bdi { display: inline-block; max-width: 100%; vertical-align: top; overflow: clip; }
        nav a:hover { text-decoration: underline; }

        main li { display: grid; gap: .25rem 2rem; border-top: 1px solid var(--line); padding: .6875rem 0; }
        main li, h1, h2, .lead { overflow: clip; overflow-clip-margin: .25rem; }
        .usage { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .5rem; }
        .purpose { width: fit-content; text-wrap: pretty; }
        .example, .example code { color: var(--soft); }
        .example { font-size: .9375rem; }
        .example code { display: inline; background: none; border: none; padding: 0; }
        .none { margin-top: 2.5rem; }

        @media (min-width: 44rem) {
            main li { grid-template-columns: 5fr 6fr; align-items: start; }
            .about { padding-top: .0625rem; }
            [role=status] { min-width: 9rem; text-align: end; }
        }
        @media (max-width: 43.99rem) {
            nav ul { flex-wrap: nowrap; overflow-x: auto; padding: .25rem; margin: -.25rem; }
            nav li { flex: none; max-width: 80%; }
        }
        @media (min-height: 34rem) {
            form { position: sticky; top: 0; }
            html { scroll-padding-top: 7rem; }
        }
        @media (hover: hover) and (scripting: enabled) {
            input:placeholder-shown:not(:focus) + kbd {
                display: block; margin-left: -3.25rem; width: 2.375rem; text-align: center; color: var(--soft);
                pointer-events: none;
            }
        }
        @media (prefers-reduced-motion: no-preference) {
            html { scroll-behavior: smooth; }
        }
        @media print {
            html { font-size: 10.5pt; background: none; }
            body { max-width: none; padding: 0; }
            form, nav, .skip { display: none; }
            h2 { margin-top: 1.5em; break-after: avoid; }
            main li { break-inside: avoid; padding: .375em 0; }
            code { background: none; border-color: var(--line); }
        }
        """
}
