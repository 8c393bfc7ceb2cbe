'use strict';

const { BrainStore } = require('./brain-store');
const coffeescript = require('./coffeescript');
const context = require('./context');
const { InFlightMessages } = require('./in-flight-messages');
const limits = require('./limits');
const { Loader, NoScript } = require('./loader');
const { LogLimit } = require('./log-limit');
const { hookRequire } = require('./module-hooks');
const { Outgoing } = require('./outgoing');
const { Registrations } = require('./registrations');
const { run: runKey } = require('./response');
const { Retirement } = require('./retirement');
const Robot = require('./robot');
const { RobotDataStore } = require('./robot-datastore');
const { Runs } = require('./runs');
const { requirementsOf } = require('./script-requirements');
const { ExitCalled, describe, filesOf } = require('./error-description');
const { version: protocolVersion } = require('./json-lines');
const { Watchdog } = require('./watchdog');
const { WebServer } = require('./web-server');

/** The session with the robot: takes its messages, and tells it what scripts do. */
class Host {
    /**
     * @param {object} process
     * @param {(message: object) => void} process.write
     * @param {(code: number) => void} process.exit
     * @param {import('stream').Readable} process.input where the robot's messages come from
     * @param {import('./background-timers').BackgroundTimers} process.timers
     */
    constructor({ write, exit, input, timers }) {
        this.write = write;
        this.exit = exit;
        this.input = input;
        this.timers = timers;
        this.retirement = null;
        this.watchdog = null;
        this.scripts = new Map();
        this.logLimit = new LogLimit(write);
        context.findInStack((error) => this.scriptInStack(error));
        this.outgoing = new Outgoing(this);
        this.robot = null;
        this.brainStore = null;
        /** How many of the robot's messages in a row could not be handled. */
        this.failed = 0;
        this.handlers = {
            start: (message) => this.start(message),
            message: (message) => this.runs.start(message),
            resume: (message) => this.runs.resume(message),
            cancel: (message) => this.runs.cancel(message),
            middleware: (message) => this.runs.runMiddleware(message),
            end: (message) => this.endMessage(message.number),
            brain: (message) => this.takeBrain(message),
            users: (message) => this.inFlightMessages.meet(message.users),
            webRequest: (message) => this.web.take(message),
            webBody: (message) => this.web.takeBody(message),
            webClosed: (message) => this.web.close(message),
            unlisten: (message) => this.registrations.remove(message.listener),
            response: (message) => this.outgoing.answered(message),
            ping: (message) => this.write({ type: 'pong', id: message.id }),
            retire: () => this.retire(),
            stop: () => this.stop(),
        };
    }

    /** Takes a message of the robot. */
    handle(message) {
        if (!Object.hasOwn(this.handlers, message.type)) {
            this.log('error', `the robot has sent a message of an unknown type: ${message.type}`);
        } else if (this.robot === null && !['start', 'ping', 'stop'].includes(message.type)) {
            this.log('error', `the robot has sent the message ${message.type} before the message start`);
        } else {
            try {
                this.handlers[message.type](message);
                if (message.type === 'message') {
                    this.failed = 0;
                }
            } catch (error) {
                this.log('error', `can't handle the robot's message ${message.type}: ${error?.stack}`);
                this.answerFailed(message);
                this.failed += 1;
                if (this.failed >= limits.failedMessages) {
                    this.log('error', 'scripts have changed JavaScript objects that the host needs, so this process exits, and the robot starts a new one');
                    this.brainStore?.flush();
                    this.exit(3);
                }
            }
        }
        this.retirement?.check();
    }

    /** Answers a question that couldn't be handled, since the robot waits for the answer. */
    answerFailed({ type, run, id }) {
        if (type === 'message' || type === 'resume') {
            this.write({ type: 'result', run, matched: true, ended: true, error: "the host couldn't call the listener" });
        } else if (type === 'middleware') {
            this.write({ type: 'result', run, continue: true });
        } else if (type === 'webRequest') {
            this.web.answer(id, 502, 'A script has failed to answer.');
        }
    }

    async start(message) {
        if (this.robot !== null) {
            this.log('error', 'the robot has sent the message start twice');
            return;
        }
        if (message.protocol !== protocolVersion) {
            this.write({ type: 'error', message: `the protocol's version is ${message.protocol}, but this host speaks ${protocolVersion}`, fatal: true });
            this.exit(2);
            return;
        }
        hookRequire();
        coffeescript.configure({
            cache: message.cache, folders: message.modules, problem: (text) => this.log('warning', text),
        });
        const adapters = message.adapters?.length > 0 ? message.adapters : ['shell'];
        this.robot = new Robot(this, {
            name: message.name, alias: message.alias ?? null, version: message.version, adapters, logLevel: message.logLevel ?? 'info',
        });
        this.inFlightMessages = new InFlightMessages(this, this.robot, adapters[0]);
        this.registrations = new Registrations(this, this.robot, { web: Boolean(message.web) });
        this.runs = new Runs(this, this.robot);
        if (message.datastore) {
            this.robot.datastore = new RobotDataStore(this.robot);
        }
        this.web = new WebServer(this, (request, response) => this.robot.router(request, response));
        this.brainStore = message.brain ? new BrainStore(this, this.robot.brain) : null;
        this.loader = new Loader(this, this.robot, { loadTime: message.loadTime ?? 30000 });
        this.watchdog = message.busyTime > 0 ? new Watchdog(this, message.busyTime) : null;
        await this.loadScripts(message);
        await this.watchdog?.ready;
        this.write({
            type: 'ready', protocol: protocolVersion, language: `Node ${process.versions.node}`,
            scripts: [...this.scripts.values()].filter(({ state }) => state === 'loaded').length, listeners: this.registrations.count,
        });
    }

    async loadScripts({ scripts = [], external = null }) {
        for (const script of scripts) {
            await this.loader.load(script);
        }
        if (external) {
            this.loader.packageFolder = external.folder;
            await this.loader.loadPackages(external.packages);
        }
        if (this.brainStore === null) {
            this.log('info', "the Hubot scripts' brain is kept in memory only, and is empty after a restart");
            this.run(() => this.robot.brain.emit('loaded', this.robot.brain.data));
        }
        this.registrations.compare();
        this.registrations.tellHelp();
    }

    /** Takes a part of the brain that the robot keeps. With the last part, the brain is loaded. */
    takeBrain({ entries, last }) {
        if (this.brainStore === null) {
            this.log('error', 'the robot has sent the message brain, but its message start had no field brain');
            return;
        }
        this.brainStore.receive(entries ?? []);
        if (last && !this.brainStore.loaded) {
            this.run(() => this.brainStore.begin());
            this.registrations.compare();
            this.registrations.tellHelp();
        }
    }

    /** Tells scripts that everything is loaded. */
    run(loadBrain) {
        const { robot } = this;
        const steps = [
            () => robot.brain.emit('connected'), loadBrain, () => robot.emit('scripts have loaded'), () => robot.emit('running'),
            () => robot.adapter.emit('connected'),
        ];
        // If a script's handler fails, the others are called all the same.
        steps.forEach((step) => this.guard(null, step));
    }

    /** Calls something of scripts; what it throws goes to the error handlers. */
    guard(script, body) {
        context.run({ script: script ?? undefined }, () => {
            try {
                body();
            } catch (error) {
                this.uncaught(error);
            }
        });
    }

    /** The robot has finished with a message: calls what middleware wanted to be called then. */
    endMessage(number) {
        for (const done of this.inFlightMessages.end(number).reverse()) {
            this.guard(null, done);
        }
        this.registrations.tellHelp();
    }

    /** Another process takes over. */
    retire() {
        this.brainStore?.flush();
        this.retirement ??= new Retirement(this, this.input, this.timers);
        this.write({ type: 'retired' });
    }

    stop() {
        try {
            this.robot?.brain.close();
        } catch {
            // A script's handler must not keep the process alive.
        }
        this.brainStore?.flush();
        const exit = () => this.exit(0);
        // Node would wait for the other thread's connection to this one.
        if (this.watchdog) {
            this.watchdog.close().then(exit, exit);
        } else {
            exit();
        }
    }

    // Scripts

    /** An id that no script has. */
    freeScriptID(name) {
        let id = name;
        for (let number = 2; this.scripts.has(id); number += 1) {
            id = `${name} (${number})`;
        }
        return id;
    }

    /** Begins to load a script. The robot knows its name before its first line runs. */
    addScript(script) {
        // What the robot must leave out so that the script isn't loaded: the script or package of `start` that loads it.
        const loader = context.caller();
        const root = loader === undefined ? { id: script.id, package: script.package } : loader.root;
        const record = { ...script, root, state: 'loading', listeners: [], ordinal: 0, commandsBefore: this.robot.commands.length };
        this.scripts.set(script.id, record);
        const parent = loader !== undefined && root.package === undefined ? root.id : undefined;
        this.write({ type: 'loading', script: script.id, path: script.path, package: root.package, parent });
        return record;
    }

    scriptLoaded(record) {
        record.state = 'loaded';
        this.registrations.compare(record);
        const commands = this.registrations.newCommands(record);
        this.write({
            type: 'script', id: record.id, path: record.path, listeners: record.listeners, commands, ...this.requirements(record),
        });
    }

    scriptFailed(record, thrown) {
        const before = record.state;
        record.state = 'failed';
        this.registrations.compare(record);
        const error = describe(thrown, record.path);
        if (thrown instanceof ExitCalled || thrown instanceof NoScript) {
            delete error.stack;
        }
        if (before === 'loading') {
            const needs = this.requirements(record);
            if (/MODULE_NOT_FOUND/.test(thrown?.code) && needs.missing?.length > 0) {
                error.message = `it needs packages that aren't installed: npm install ${needs.missing.join(' ')}`;
            }
            this.write({
                type: 'script', id: record.id, path: record.path, listeners: record.listeners, commands: [], ...needs, error,
            });
        } else {
            this.reportError(thrown, undefined, undefined, record);
        }
    }

    /** What a script needs, as far as there is anything to say. */
    requirements(record) {
        const { environment, missing } = record.missing ? { environment: [], missing: record.missing } : requirementsOf(record.path);
        return { environment: environment.length > 0 ? environment : undefined, missing: missing.length > 0 ? missing : undefined };
    }

    /** The script whose code has thrown: the innermost one in the stack, else the one that the code was started for. */
    scriptOf(thrown) {
        return this.scriptInStack(thrown) ?? context.script();
    }

    scriptInStack(thrown) {
        for (const file of filesOf(thrown?.stack)) {
            const script = [...this.scripts.values()].find((one) => one.path === file);
            if (script) {
                return script;
            }
        }
        return undefined;
    }

    // What the robot class needs

    announce(listener) {
        this.registrations.announce(listener, context.caller());
    }

    middlewareChanged() {
        this.registrations.tellMiddleware();
    }

    send(kind, envelope, strings) {
        return this.outgoing.send(kind, envelope, strings);
    }

    inject(message) {
        return this.outgoing.inject(message);
    }

    commandText(message) {
        return this.inFlightMessages.commandText(message);
    }

    // Log and errors

    log(level, text, script = context.script()) {
        if (this.robot !== null && !this.robot.logger.isLevelEnabled(level)) {
            return;
        }
        this.logLimit.write(level, script?.id, String(text).slice(0, limits.logText));
    }

    /** A line that a script has printed. */
    printed(text) {
        this.log('info', text);
    }

    /** Tells the robot about an error of a script. */
    reportError(thrown, response, prefix, script = this.scriptOf(thrown)) {
        const run = response?.envelope?.[runKey] ?? context.currentRun();
        const error = describe(thrown, undefined);
        if (prefix) {
            error.message = `${prefix}: ${error.message}`;
        }
        this.logLimit.flush();
        this.logLimit.pass({ type: 'error', script: script?.id, run: run?.id, ...error });
    }

    /** An exception that nothing caught, or a promise whose error nobody took. */
    uncaught(thrown) {
        const script = this.scriptOf(thrown);
        if (thrown instanceof ExitCalled) {
            // It was logged when it was called.
            return;
        }
        if (this.robot === null) {
            this.reportError(thrown, undefined, undefined, script);
            return;
        }
        context.run({ script, run: context.currentRun() }, () => this.robot.emit('error', thrown));
    }

    /** A script has called `process.exit` or the like: it ends there, but the process goes on. */
    exitCalled(name, ...values) {
        const text = `${name}(${values.filter((value) => value !== undefined).join(', ')})`;
        this.log('warning', `the script has called ${text}, which doesn't end the robot`);
        throw new ExitCalled(`the script has called ${text}`);
    }
}

module.exports = { Host };
