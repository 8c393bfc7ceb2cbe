'use strict';

// Plays the robot's side of the protocol in tests.

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const program = path.join(__dirname, '../../Sources/HubotHost/JavaScript/main.js');
const scriptsFolder = path.join(__dirname, 'scripts');
// Not a wait for something that should happen, but the end of a test that hangs.
const patience = 600000;

/** A robot with a script host. */
class Driver {
    constructor({ command = [process.execPath, program], env = {}, cwd } = {}) {
        this.child = spawn(command[0], command.slice(1), { env: { ...process.env, ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
        this.received = [];
        this.waiting = [];
        this.stderr = '';
        this.badLines = [];
        this.number = 0;
        this.run = 0;
        this.refuse = () => undefined;
        this.answers = true;
        let rest = '';
        this.child.stdout.setEncoding('utf8');
        this.child.stdout.on('data', (text) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop();
            lines.filter((line) => line !== '').forEach((line) => this.take(line));
        });
        this.child.stderr.setEncoding('utf8');
        this.child.stderr.on('data', (text) => { this.stderr += text; });
        this.child.stdin.on('error', () => {});
        this.ended = new Promise((resolve) => {
            // A host that never ends would keep the test waiting.
            setTimeout(() => this.child.kill('SIGKILL'), 3 * patience).unref();
            this.child.on('close', (code, signal) => {
                resolve({ code, signal });
                this.waiting.splice(0).forEach(({ reject }) => reject(new Error(`the host has ended (${code ?? signal}): ${this.stderr}`)));
            });
        });
    }

    take(line) {
        let message;
        try {
            message = JSON.parse(line);
        } catch {
            this.badLines.push(line);
            return;
        }
        this.received.push(message);
        if ((message.type === 'send' || message.type === 'receive') && this.answers) {
            this.write({ type: 'response', request: message.request, error: this.refuse(message) });
        }
        for (const waiter of [...this.waiting]) {
            if (waiter.matches(message)) {
                this.waiting.splice(this.waiting.indexOf(waiter), 1);
                waiter.resolve(message);
            }
        }
    }

    write(message) {
        this.child.stdin.write(typeof message === 'string' ? message : JSON.stringify(message) + '\n');
    }

    /** The first message, now or later, that has these properties or that the function accepts. */
    next(wanted) {
        const matches = typeof wanted === 'function' ? wanted : (message) => Object.entries(wanted).every(([key, value]) => message[key] === value);
        const known = this.received.find(matches);
        if (known) {
            return Promise.resolve(known);
        }
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                reject(new Error(`no ${JSON.stringify(wanted)}; received: ${JSON.stringify(this.received.slice(-20))}\n${this.stderr}`));
            }, patience);
            this.waiting.push({
                matches,
                resolve: (message) => { clearTimeout(timer); resolve(message); },
                reject: (error) => { clearTimeout(timer); reject(error); },
            });
        });
    }

    of(type) {
        return this.received.filter((message) => message.type === type);
    }

    /** Starts the host with scripts: file names in `scripts/`, or absolute paths. */
    async start(scripts, options = {}) {
        this.write({
            type: 'start', protocol: 1, name: 'Hubot', alias: null, version: '9.9.9', adapters: ['irc'], logLevel: 'info', loadTime: 600000,
            scripts: scripts.map((file) => ({ id: path.basename(file), path: path.resolve(scriptsFolder, file) })),
            external: null, modules: [], cache: null, ...options,
        });
        return this.next({ type: 'ready' });
    }

    listeners() {
        const removed = new Set(this.of('unlisten').map(({ listener }) => listener));
        return this.of('listener').filter(({ id }) => !removed.has(id));
    }

    message(text, fields = {}) {
        this.number += 1;
        const addressed = /^\s*@?hubot[:,]?\s+([^]*)$/i.exec(text ?? '');
        return {
            number: this.number, kind: 'text', id: `m${this.number}`, room: '#room', user: { id: 'ada', name: 'Ada' }, text,
            command: addressed ? addressed[1] : null, ...fields,
        };
    }

    /** Asks one listener. Returns its result. */
    async ask(listener, message, options = {}) {
        this.run += 1;
        const { run } = this;
        this.write({ type: 'message', run, listener: listener.id, message, ...options });
        return this.next({ type: 'result', run });
    }

    /** Routes a message as the robot does: through receive middleware, then listener after listener. Returns what was sent. */
    async hear(text, fields = {}) {
        const message = this.message(text, fields);
        const first = this.received.length;
        let handled = false;
        const runs = [];
        const sent = () => this.received.slice(first).filter(({ type }) => type === 'send').map(({ kind, strings }) => [kind, ...strings]);
        if (this.of('middleware').at(-1)?.kinds.includes('receive')) {
            this.run += 1;
            this.write({ type: 'middleware', run: this.run, kind: 'receive', message });
            const result = await this.next({ type: 'result', run: this.run });
            if (!result.continue) {
                this.write({ type: 'end', number: message.number });
                return sent();
            }
        }
        const route = async (kinds, kind) => {
            for (const listener of this.listeners().filter((one) => kinds.includes(one.kind))) {
                const result = await this.ask(listener, { ...message, kind });
                if (result.matched) {
                    handled = true;
                    runs.push(result);
                }
                if (result.finished) {
                    break;
                }
            }
        };
        await route({ text: ['hear', 'respond', 'listen'], topic: ['hear', 'respond', 'topic', 'listen'] }[message.kind] ?? [message.kind, 'listen'], message.kind);
        if (!handled) {
            await route(['catchAll', 'listen'], 'catchAll');
        }
        this.write({ type: 'end', number: message.number });
        for (const { run, ended } of runs) {
            if (!ended) {
                await this.next({ type: 'ended', run });
            }
        }
        return sent();
    }

    async stop() {
        this.write({ type: 'stop' });
        this.child.stdin.end();
        const timer = setTimeout(() => this.child.kill('SIGKILL'), patience);
        const end = await this.ended;
        clearTimeout(timer);
        return end;
    }
}

/** Makes a folder with files, for one test. */
function folder(test, files) {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'hubot-host-'));
    test.after(() => fs.rmSync(made, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
        fs.writeFileSync(path.join(made, name), text);
    }
    return made;
}

/** A host with scripts given as texts, loaded and ready. */
async function hostWith(test, files, options = {}, process = {}) {
    const made = folder(test, files);
    const driver = new Driver(process);
    test.after(() => driver.stop());
    driver.folder = made;
    await driver.start(Object.keys(files).filter((name) => !name.includes('/') && !name.endsWith('.json')).map((name) => path.join(made, name)), options);
    return driver;
}

/** A host with some of the files in `scripts/`. */
async function hostRunning(test, files, options = {}, process = {}) {
    const driver = new Driver(process);
    test.after(() => driver.stop());
    await driver.start(files, options);
    return driver;
}

module.exports = { Driver, folder, hostWith, hostRunning, scriptsFolder, program };
