'use strict';

const { Listener, details } = require('./listener');
const { isTooDeep } = require('./json-depth');
const limits = require('./limits');

/** The listeners that the robot knows, and the help lines. */
class Registrations {
    /** @param {{web: boolean}} options `web`: the robot passes web requests on */
    constructor(host, robot, { web }) {
        this.host = host;
        this.web = web;
        this.routes = [];
        this.robot = robot;
        this.known = [];
        this.byID = new Map();
        this.ids = new WeakMap();
        this.next = 1;
        this.unknownScript = { ordinal: 0 };
        this.help = [];
        /** The help lines when they were last compared. */
        this.commands = null;
        this.middleware = '';
        this.receive = robot.receive;
    }

    get count() {
        return this.byID.size;
    }

    /** Tells the robot about a listener. */
    announce(listener, script) {
        const id = this.next;
        this.next += 1;
        this.ids.set(listener, id);
        this.known.push(listener);
        this.byID.set(id, { id, listener, script });
        script?.listeners.push(id);
        const facts = listener[details] ?? { kind: 'listen' };
        // Each needs a number of its own, also those whose script isn't known.
        const counter = script ?? this.unknownScript;
        const { ordinal } = counter;
        counter.ordinal += 1;
        this.host.write({ type: 'listener', id, script: script?.id, ordinal, ...describe(facts), options: plain(listener.options) });
    }

    /** Removes a listener that the robot doesn't want. */
    remove(id) {
        const entry = this.byID.get(id);
        if (entry) {
            this.byID.delete(id);
            this.known = this.known.filter((one) => one !== entry.listener);
            this.robot.listeners = this.robot.listeners.filter((one) => one !== entry.listener);
        }
    }

    /**
     * Scripts add and remove listeners by changing `robot.listeners`, help lines by changing `robot.commands`, and replace
     * `robot.receive`. This tells the robot what has changed.
     */
    compare(script) {
        const { listeners } = this.robot;
        if (!isSame(listeners, this.known)) {
            this.compareListeners(listeners, script);
        }
        this.tellMiddleware();
        this.tellRoutes();
    }

    compareListeners(listeners, script) {
        const now = new Set(listeners);
        for (const [id, entry] of [...this.byID]) {
            if (!now.has(entry.listener)) {
                this.byID.delete(id);
                this.host.write({ type: 'unlisten', listener: id });
            }
        }
        this.known = this.known.filter((listener) => now.has(listener));
        for (const listener of now) {
            // A function takes the place of a removed listener in some scripts.
            const isListener = listener instanceof Listener || (listener !== null && typeof listener === 'object' && typeof listener.call === 'function');
            const id = this.ids.get(listener);
            if (isListener && (id === undefined || !this.byID.has(id))) {
                this.announce(listener, script);
            }
        }
        this.known = [...listeners];
    }

    /** The help lines that have come since a script began to load. */
    newCommands(script) {
        const commands = bounded(this.robot.commands.slice(script.commandsBefore));
        this.help.push(...this.robot.commands.slice(this.help.length));
        return commands;
    }

    /** Tells the robot all help lines if a script has changed them. */
    tellHelp() {
        const { commands } = this.robot;
        if (this.commands !== null && isSame(commands, this.commands)) {
            return;
        }
        this.commands = [...commands];
        const sorted = (lines) => [...lines].map(String).sort();
        // `robot.helpCommands` sorts the array itself.
        const one = sorted(commands);
        const other = sorted(this.help);
        if (one.length !== other.length || one.some((line, index) => line !== other[index])) {
            this.help = [...commands];
            this.host.write({ type: 'help', commands: bounded(commands) });
        }
    }

    /** Tells the robot which web routes there are. */
    tellRoutes() {
        const { router } = this.robot;
        const routes = Array.from(router?.stack ?? []).slice(router?.own ?? 0).slice(0, limits.routes);
        if (isSame(routes, this.routes)) {
            return;
        }
        this.routes = routes;
        if (this.web) {
            this.host.write({ type: 'routes', routes: routes.map(describeRoute) });
        } else if (!this.warned) {
            this.warned = true;
            this.host.log('warning', "the Hubot scripts' web routes get no requests, because the robot has no web server");
        }
    }

    /** Tells the robot for which kinds of middleware it has to ask. */
    tellMiddleware() {
        const { middleware } = this.robot;
        const kinds = ['receive', 'listener', 'response'].filter((kind) => middleware[kind].stack.length > 0);
        if (this.robot.receive !== this.receive && !kinds.includes('receive')) {
            kinds.unshift('receive');
        }
        if (kinds.join() !== this.middleware) {
            this.middleware = kinds.join();
            this.host.write({ type: 'middleware', kinds });
        }
    }
}

/** The robot only has to know which routes there are; the host finds the one that answers. */
function describeRoute({ method, path, end, script }) {
    return { method: method ?? (end ? 'ALL' : 'USE'), path: String(path).slice(0, limits.routePath), script: script?.id };
}

function describe({ kind, regex }) {
    const source = typeof regex?.source === 'string' && regex.source.length <= limits.pattern ? regex.source : undefined;
    return { kind, pattern: source, flags: source === undefined ? undefined : regex.flags };
}

/** A listener's options as far as they are JSON. */
function plain(options) {
    let text;
    try {
        text = JSON.stringify(options, (key, value) => (typeof value === 'bigint' ? String(value) : value));
    } catch {
        // A cycle: only the id is certain.
    }
    if (text !== undefined && text.length <= limits.options && !isTooDeep(text)) {
        return JSON.parse(text);
    }
    return { id: options?.id === undefined || options?.id === null ? null : String(options.id).slice(0, 200) };
}

/** Whether two lists have the same elements in the same order. */
function isSame(one, other) {
    return one.length === other.length && one.every((element, index) => element === other[index]);
}

function bounded(lines) {
    return Array.from(lines).slice(0, limits.helpLines).map((line) => String(line).slice(0, limits.helpLine));
}

module.exports = { Registrations };
