#!/usr/bin/env python3
"""Tests a robot's help page in a headless browser, and reports the problems.

  browse.py [--browser chromium] URL FOLDER

It prints JSON, writes six screenshots into the folder (320, 390 and 1280 wide, light and dark), and exits with 1 if
something is wrong. It needs Chromium, which it controls through a pipe, and Python 3.10 or newer.
"""
import argparse, base64, collections, fcntl, json, os, pathlib, select, signal, sys, tempfile, time

SIZES, SCHEMES = ((320, 800), (390, 844), (1280, 900)), ("light", "dark")
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Backspace": 8}
NOTHING = "qzxjv"
# A mouse, as on a desktop computer.
POINTER = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"

# JavaScript expressions to evaluate in the page.
OVERFLOW = """(() => {
    const width = document.documentElement.clientWidth, root = document.scrollingElement;
    const wide = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 0.5);
    return root.scrollWidth > width ? { by: root.scrollWidth - width, at: wide.map(e => e.outerHTML.slice(0, 99)) } : null;
})()"""
FOCUS = """(() => {
    const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    const on = box.width > 1 && box.height > 1 && box.left >= 0 && box.top >= 0 && box.bottom <= innerHeight;
    return { index: [...document.querySelectorAll("a, input")].indexOf(e), text: e.textContent,
             seen: on && style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0 };
})()"""
STATE = """({
    commands: document.querySelectorAll("main li").length,
    shown: [...document.querySelectorAll("main li")].filter(e => e.checkVisibility()).length,
    headings: [...document.querySelectorAll("h2")].filter(e => e.checkVisibility()).length,
    links: [...document.querySelectorAll("nav li")].filter(e => e.checkVisibility()).length,
    nothing: !!document.querySelector(".none")?.checkVisibility(),
    count: document.querySelector("[role=status]")?.textContent, live: document.querySelector("[aria-live]")?.ariaLive,
    value: document.querySelector("input")?.value, focus: document.activeElement.id, query: location.search,
    first: document.querySelector("main code")?.textContent, groups: document.querySelectorAll("section").length,
})"""


class Browser:
    """Chromium with one tab. Its protocol is JSON with a zero byte at the end, on file descriptors 3 and 4."""

    def __init__(self, command, profile):
        self.log = pathlib.Path(profile, "log")
        self.received, self.events, self.count, self.session = b"", collections.deque(), 0, None
        ends = []
        for end in os.pipe() + os.pipe():
            # Above the descriptors that the browser uses.
            ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
            os.close(end)
        theirs_in, self.output, self.input, theirs_out = ends
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
        arguments = [command, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars", POINTER, "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        wiring = [(os.POSIX_SPAWN_DUP2, theirs_in, 3), (os.POSIX_SPAWN_DUP2, theirs_out, 4),
                  (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)]
        self.process = os.posix_spawnp(command, arguments, os.environ, file_actions=wiring)
        for end in (theirs_in, theirs_out, log):
            os.close(end)
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        target = pages[0]["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")

    def read(self, deadline):
        while b"\0" not in self.received:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser doesn't answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise ConnectionError("the browser ended: " + self.log.read_text()[-2000:])
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + 30
        while True:
            message = self.read(deadline)
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait(self, method):
        """Waits for an event."""
        deadline = time.monotonic() + 30
        for event in self.events:
            if event["method"] == method:
                return
        while True:
            self.events.append(self.read(deadline))
            if self.events[-1]["method"] == method:
                return

    def ask(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def drawn(self):
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def show(self, size, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.drawn()

    def open(self, url):
        """Loads a page and returns the headers of its response."""
        loaded = collections.deque(e for e in self.events if e["method"] != "Page.loadEventFired")
        self.events = loaded
        result = self.call("Page.navigate", url=url)
        if "errorText" in result:
            raise ConnectionError(f"{url}: {result['errorText']}")
        self.wait("Page.loadEventFired")
        responses = [e["params"] for e in self.events if e["method"] == "Network.responseReceived"]
        documents = [r["response"] for r in responses if r["type"] == "Document"]
        return {name.lower(): value for name, value in documents[-1]["headers"].items()} if documents else {}

    def press(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key) or (ord(key.upper()) if key.isalnum() else 191)
        values = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)

    def type(self, text):
        for character in text:
            self.press(character)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        # The browser ends when the pipe is closed.
        os.close(self.output)
        deadline = time.monotonic() + 10
        while select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
            if not os.read(self.input, 1 << 20):
                break
        else:
            os.kill(self.process, signal.SIGKILL)
        os.close(self.input)
        os.waitpid(self.process, 0)


def keyboard(browser):
    """Returns what should work by keyboard, and whether it does."""
    start = browser.ask(STATE)
    browser.press("Tab")
    stop = browser.ask(FOCUS)
    does = {"the first Tab leads to the skip link": "Skip" in stop["text"] and stop["seen"]}
    browser.press("Enter")
    does["the skip link leads to the commands"] = browser.ask(STATE)["focus"] == "commands"
    # After loading, focus is at the beginning again.
    browser.open(browser.ask("location.href.split('#')[0]"))
    stops, order = [], browser.ask("[...document.querySelectorAll('a, input')].filter(e => e.checkVisibility()).length")
    for _ in range(order):
        browser.press("Tab")
        browser.drawn()
        stops.append(browser.ask(FOCUS))
    does["Tab reaches every link and the box"] = len({stop["index"] for stop in stops} - {-1}) == order
    does["focus can be seen at each stop"] = all(stop["seen"] for stop in stops)

    browser.ask("document.activeElement.blur()")
    browser.press("/")
    state = browser.ask(STATE)
    does["/ leads to the box"] = state["focus"] == "q" and state["value"] == ""
    word = browser.ask("""document.querySelector("main code").textContent.match(/[a-z]+/i)?.[0] ?? "help" """)
    browser.type(word)
    state = browser.ask(STATE)
    does["typing filters"] = 0 < state["shown"] <= start["commands"] and state["count"].startswith(
        f"{state['shown']} of {start['commands']} ")
    does["groups with nothing left disappear"] = state["headings"] == browser.ask(
        "[...document.querySelectorAll('section')].filter(s => s.querySelector('li:not([hidden])')).length")
    browser.press("Enter")
    state = browser.ask(STATE)
    does["Enter leads to what was found, and into the address"] = (
        state["focus"] == "commands" and state["query"] == f"?q={word}")
    browser.press("/")
    browser.type(NOTHING)
    state = browser.ask(STATE)
    does["/ chooses what was typed, and typing replaces it"] = state["value"] == NOTHING
    does["a sentence says that nothing was found"] = (
        state["nothing"] and state["shown"] == state["headings"] == state["links"] == 0 and state["live"] == "polite")
    browser.press("Escape")
    state = browser.ask(STATE)
    does["Escape clears the box"] = state["value"] == "" and state["focus"] == "q"
    does["all is there again"] = state["shown"] == start["commands"] and state["headings"] == start["groups"]
    browser.type("a/")
    does["/ can be typed"] = browser.ask(STATE)["value"] == "a/"
    return does


def troubles(events, url):
    """Returns script errors, violations of the content security policy, and requests for anything but the page."""
    errors, violations, requests = [], [], []
    for event in events:
        method, parameters = event["method"], event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            errors.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("error", "warning"):
                (violations if "Content Security Policy" in entry["text"] else errors).append(entry["text"])
        elif method == "Audits.issueAdded" and parameters["issue"]["code"] == "ContentSecurityPolicyIssue":
            details = parameters["issue"]["details"]["contentSecurityPolicyIssueDetails"]
            violations.append(f"{details['violatedDirective']} {details.get('blockedURL', 'inline')}")
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if address.split("?")[0].split("#")[0] != url.split("?")[0].split("#")[0] and address[:5] != "data:":
                requests.append(address)
    return errors, violations, requests


def browse(browser, url, folder):
    headers = browser.open(url)
    overflow, rows = {}, {}
    for size in SIZES:
        for scheme in SCHEMES:
            browser.show(size, scheme)
            browser.picture(folder / f"{size[0]}-{scheme}.png")
        overflow[str(size[0])] = browser.ask(OVERFLOW)
        rows[size[0]] = browser.ask("new Set([...document.querySelectorAll('nav li')].map(e => e.offsetTop)).size")
    does = keyboard(browser) if browser.ask(STATE)["commands"] else {}
    does["on a phone, the links take one row"] = all(rows[width] <= 1 for width, _ in SIZES if width < 400)
    errors, violations, requests = troubles(browser.events, url)
    return {
        "url": url, "policy": headers.get("content-security-policy"), "scriptErrors": errors,
        "policyViolations": violations, "otherRequests": requests, "horizontalOverflow": overflow, "keyboard": does,
        "isGood": bool(headers.get("content-security-policy")) and all(does.values())
        and not (errors or violations or requests or any(overflow.values())),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", default="chromium", help="the browser's command: %(default)s")
    parser.add_argument("url")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        # The browser's children may still write after its end.
        with tempfile.TemporaryDirectory(prefix="browse-", ignore_cleanup_errors=True) as profile:
            browser = Browser(options.browser, profile)
            try:
                report = browse(browser, options.url, options.folder)
            finally:
                browser.close()
    except (OSError, RuntimeError) as error:
        sys.exit(f"browse.py: {error}")
    print(json.dumps(report, indent=2, ensure_ascii=False))
    return 0 if report["isGood"] else 1


if __name__ == "__main__":
    sys.exit(main())
