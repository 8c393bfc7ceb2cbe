'use strict';

const { HeybotAdapter } = require('./adapter');
const Brain = require('./brain');
const callableWithoutNew = require('./callable-without-new');
const { CommandBus } = require('./command-bus');
const { runCommand, confirmation, invocation } = require('./command-listener');
const context = require('./context');
const HttpClient = require('./http-client');
const { Listener, TextListener, details } = require('./listener');
const { Logger } = require('./logger');
const messages = require('./message-classes');
const Middleware = require('./middleware');
const { Response } = require('./response');
const makeRouter = require('./robot-router');
const { ScriptEvents } = require('./script-events');
const { respondPattern, sourceOf } = require('./respond-pattern');

/** Hubot's version whose interface this is. `robot.heybotVersion` is the robot's own. */
const hubotVersion = '14.1.0';

/** What a script gets as `robot`. */
class Robot {
    /**
     * @param {object} host the session with the robot: `log`, `send`, `inject`, `announce`, `middlewareChanged`, `loader`
     * @param {{name: string, alias: string|null, version: string, adapters: string[], logLevel: string}} options
     */
    constructor(host, options) {
        if (typeof host?.announce !== 'function') {
            throw new Error("the robot runs already: a script can't create another one");
        }
        Object.defineProperty(this, '_host', { value: host });
        this.name = options.name;
        this.alias = options.alias ?? false;
        this.version = hubotVersion;
        this.heybotVersion = options.version;
        this.adapterName = options.adapters[0];
        this.adapterNames = options.adapters;
        this.events = new ScriptEvents();
        this.events.setMaxListeners(0);
        this.logger = new Logger((level, text) => host.log(level, text), options.logLevel);
        this.brain = new Brain(this);
        this.datastore = null;
        this.Response = Response;
        this.listeners = [];
        this.errorHandlers = [];
        this.globalHttpOptions = {};
        this.pingIntervalId = null;
        this.server = null;
        this.documentation = {};
        this.adapter = new HeybotAdapter(this, (kind, envelope, strings) => host.send(kind, envelope, strings), this.adapterName);
        this.router = makeRouter(this, (text) => this.logger.warning(text), (error) => this.emit('error', error));
        this.middleware = {};
        for (const kind of ['receive', 'listener', 'response']) {
            this.middleware[kind] = new Middleware(this);
        }
        this.on('error', (error, response) => this.invokeErrorHandlers(error, response));
        makeCommands(this);
    }

    // Listeners

    listen(matcher, options, callback) {
        this._add(new Listener(this, matcher, options, callback), { kind: 'listen' });
    }

    hear(regex, options, callback) {
        this._add(new TextListener(this, regex, options, callback), { kind: 'hear', regex });
    }

    respond(regex, options, callback) {
        const listener = new TextListener(this, this.respondPattern(regex), options, callback);
        this._add(listener, { kind: 'respond', regex: sourceOf(regex) });
    }

    /** The regular expression of `respond`: the robot's name or alias, then the given one. */
    respondPattern(regex) {
        return respondPattern(regex, this.name, this.alias, this.logger);
    }

    enter(options, callback) {
        this._add(new Listener(this, (message) => message instanceof messages.EnterMessage, options, callback), { kind: 'enter' });
    }

    leave(options, callback) {
        this._add(new Listener(this, (message) => message instanceof messages.LeaveMessage, options, callback), { kind: 'leave' });
    }

    topic(options, callback) {
        this._add(new Listener(this, (message) => message instanceof messages.TopicMessage, options, callback), { kind: 'topic' });
    }

    catchAll(options, callback) {
        if (callback == null) {
            callback = options;
            options = {};
        }
        const isCatchAll = (message) => message instanceof messages.CatchAllMessage;
        const unwrap = (response) => {
            const message = response.message.message;
            // Hubot 2 and 3 give the message itself, 14 gives it as `message.message`; so it has itself as its message.
            if (!('message' in message)) {
                Object.defineProperty(message, 'message', { value: message, configurable: true, writable: true });
            }
            response.message = message;
            return callback(response);
        };
        this._add(new Listener(this, isCatchAll, options, typeof callback === 'function' ? unwrap : callback), { kind: 'catchAll' });
    }

    _add(listener, facts) {
        listener[details] = facts;
        Object.defineProperty(listener, details, { enumerable: false });
        this.listeners.push(listener);
        this._host.announce(listener);
    }

    /** Runs a callback; an error goes to the error handlers. Returns what the callback returns. */
    callListener(listener, response) {
        try {
            const returned = listener.callback(response);
            if (typeof returned?.then === 'function') {
                return Promise.resolve(returned).catch((error) => { this.emit('error', error, response); });
            }
            return returned;
        } catch (error) {
            this.emit('error', error, response);
            return undefined;
        }
    }

    // Middleware

    receiveMiddleware(middleware) {
        this._addMiddleware('receive', middleware);
    }

    listenerMiddleware(middleware) {
        this._addMiddleware('listener', middleware);
    }

    responseMiddleware(middleware) {
        this._addMiddleware('response', middleware);
    }

    _addMiddleware(kind, middleware) {
        this.middleware[kind].register(middleware);
        this._host.middlewareChanged();
    }

    // Messages

    /** Puts a message into the robot as if a network had brought it. The promise ends when the robot has accepted it. */
    receive(message, callback) {
        const accepted = this._host.inject(message);
        if (typeof callback === 'function') {
            accepted.then(() => callback(), () => callback());
        }
        return accepted;
    }

    processListeners(messageContext, done) {
        return this.receive(messageContext.response.message, done);
    }

    send(envelope, ...strings) {
        return this.adapter.send(envelope, ...strings);
    }

    reply(envelope, ...strings) {
        return this.adapter.reply(envelope, ...strings);
    }

    messageRoom(room, ...strings) {
        return this.adapter.send({ room }, ...strings);
    }

    // Events and errors

    on(event, ...values) {
        this.events.on(event, ...values);
        return this;
    }

    once(event, ...values) {
        this.events.once(event, ...values);
        return this;
    }

    off(event, ...values) {
        this.events.off(event, ...values);
        return this;
    }

    removeListener(event, ...values) {
        return this.off(event, ...values);
    }

    emit(event, ...values) {
        if (event !== 'error') {
            return this.events.emit(event, ...values);
        }
        try {
            return this.events.emit(event, ...values);
        } catch (error) {
            // An error about an error: code that reports an error must not get another one.
            this._host.reportError(error, undefined, 'a handler of the event error failed');
            return true;
        }
    }

    /** Adds a handler for errors of scripts. */
    error(handler) {
        this.errorHandlers.push(handler);
    }

    invokeErrorHandlers(error, response) {
        this._host.reportError(error, response);
        for (const handler of this.errorHandlers) {
            try {
                const returned = handler(error, response);
                if (typeof returned?.then === 'function') {
                    returned.then(undefined, (other) => this._host.reportError(other, undefined, 'an error handler failed'));
                }
            } catch (other) {
                this._host.reportError(other, undefined, 'an error handler failed');
            }
        }
    }

    // Help and scripts

    helpCommands() {
        return this.commands.sort();
    }

    parseHelp(path) {
        // Scripts call this on objects of their own, which have a `commands.push`.
        for (const command of Robot.helpOf(path, this.name)) {
            this.commands.push(command);
        }
    }

    load(folder) {
        return this._host.loader.loadFolder(folder);
    }

    loadFile(folder, file) {
        return this._host.loader.loadFile(folder, file);
    }

    loadHubotScripts(folder, files) {
        const loaded = Array.from(files ?? [], (file) => this.loadFile(folder, file));
        return Promise.all(loaded);
    }

    loadExternalScripts(packages) {
        return this._host.loader.loadPackages(packages);
    }

    /** A client for one HTTP request. */
    http(url, options) {
        return HttpClient.create(url, { ...this.globalHttpOptions, ...options }).header('User-Agent', `Heybot/${this.heybotVersion}`);
    }

    // The robot's life isn't a script's business.

    run() {
        this.logger.debug('the robot runs already, so robot.run does nothing');
    }

    shutdown() {
        const script = context.script();
        this.logger.warning(`a script can't stop the robot, so robot.shutdown${script ? ` in ${script.id}` : ''} does nothing`);
    }

    parseVersion() {
        return this.version;
    }

    // Hubot 2.3 has these on the robot.

    users() {
        return this.brain.users();
    }

    userForId(id, options) {
        return this.brain.userForId(id, options);
    }

    userForName(name) {
        return this.brain.userForName(name);
    }

    usersForRawFuzzyName(name) {
        return this.brain.usersForRawFuzzyName(name);
    }

    usersForFuzzyName(name) {
        return this.brain.usersForFuzzyName(name);
    }
}

/** `robot.commands`, which scripts may replace by an array, and its listeners. */
function makeCommands(robot) {
    let confirms = false;
    const commandText = (message) => robot._host.commandText(message);
    const listener = (matcher, pattern, flags) => {
        const made = new Listener(robot, (message) => matcher(message, commandText(message)), {}, (response) => runCommand(robot, response));
        robot._add(made, { kind: 'respond', regex: { source: pattern, flags } });
    };
    const commands = new CommandBus(robot, {
        onRegister(command) {
            const escaped = command.id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
            listener((_message, text) => invocation(robot, command, text), `^\\s*${escaped}(?:\\s|$)`, '');
            if (!confirms) {
                confirms = true;
                listener((message, text) => confirmation(robot, message, text), '^\\s*(yes|y|no|n|cancel)\\s*$', 'i');
            }
        },
    });
    Object.defineProperty(robot, 'commands', {
        get: () => commands,
        set(lines) {
            commands.splice(0, commands.length, ...Array.from(lines ?? []));
        },
        enumerable: true,
        configurable: true,
    });
    Object.defineProperty(robot, 'helpStrings', { get: () => commands, set: (lines) => { robot.commands = lines; }, configurable: true });
}

const Open = callableWithoutNew(Robot);
Robot.helpOf = (path, name) => require('./loader').helpOf(path, name);

module.exports = Open;
