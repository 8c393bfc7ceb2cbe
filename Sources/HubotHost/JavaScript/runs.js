'use strict';

const context = require('./context');
const limits = require('./limits');
const { details } = require('./listener');
const { TextMessage } = require('./message-classes');
const { Refused } = require('./outgoing');
const { ReplacedReceive } = require('./replaced-receive');
const { run: runKey } = require('./response');
const { describe, ExitCalled } = require('./error-description');

/** Runs listeners and middleware for messages of the robot. */
class Runs {
    constructor(host, robot) {
        this.host = host;
        this.robot = robot;
        // Runs without a result yet: held ones, and those that wait for middleware.
        this.open = new Map();
        this.replacedReceive = new ReplacedReceive(host, robot);
    }

    /** Asks a listener whether it matches, and runs it if so. */
    start({ run: id, listener: listenerID, hold, message: wire, disabled = [] }) {
        const entry = this.host.registrations.byID.get(listenerID);
        if (!entry) {
            this.host.write({ type: 'result', run: id, matched: false });
            return;
        }
        const message = this.host.inFlightMessages.message(wire);
        const run = { id, listener: entry.listener, script: entry.script, message, room: wire.room, disabled: new Set(disabled) };
        this.track(run);
        context.run({ script: run.script, run }, () => {
            const match = this.match(run);
            if (!match) {
                this.host.write({ type: 'result', run: id, matched: false });
                return;
            }
            this.open.set(id, run);
            run.match = match;
            if (hold) {
                this.host.write({ type: 'result', run: id, matched: true, held: true, match: groups(match) });
                return;
            }
            this.execute(run);
        });
        this.host.registrations.compare(run.script);
    }

    match(run) {
        const { listener, message } = run;
        try {
            if (listener.callback === undefined) {
                // Not one of ours, but a script's own object with a function `call`.
                return { callsItself: true };
            }
            const match = listener.matcher(message);
            const command = this.host.commandText(message);
            if (match || command === null || listener[details]?.kind !== 'respond' || !listener.regex || !(message instanceof TextMessage)) {
                return match;
            }
            // The robot is addressed in a form that Hubot doesn't know, such as in a private message without its name.
            return `${this.robot.name} ${command}`.match(listener.regex);
        } catch (error) {
            this.robot.emit('error', error, this.response(run, []));
            return null;
        }
    }

    /** The robot's decision about a run that it had wanted to hold. */
    resume({ run: id, continue: goesOn }) {
        const run = this.open.get(id);
        if (!run) {
            this.host.write({ type: 'result', run: id, matched: false });
            return;
        }
        if (goesOn === false) {
            this.open.delete(id);
            return;
        }
        context.run({ script: run.script, run }, () => this.execute(run));
        this.host.registrations.compare(run.script);
    }

    /** The robot doesn't wait any longer: middleware that continues later must not run the listener. */
    cancel({ run: id }) {
        const run = this.open.get(id);
        if (run) {
            run.cancelled = true;
            this.open.delete(id);
        }
    }

    response(run, match) {
        const response = new this.robot.Response(this.robot, run.message, match);
        Object.defineProperty(response.envelope ?? {}, runKey, { value: run });
        return response;
    }

    execute(run) {
        if (run.match.callsItself) {
            this.finish(run, { called: () => run.listener.call(run.message) });
            return;
        }
        const response = this.response(run, run.match);
        const middleware = this.robot.middleware.listener;
        if (middleware.stack.length === 0) {
            this.finish(run, { response, called: () => run.listener.callback(response) });
            return;
        }
        middleware.start({ listener: run.listener, response }, (_context, done) => {
            this.finish(run, { response, called: () => run.listener.callback(response), done });
        }, () => {}, () => this.stopped(run));
    }

    /** Middleware has stopped the run. */
    stopped(run) {
        if (this.open.delete(run.id)) {
            this.host.write({ type: 'result', run: run.id, matched: true, stopped: true, ended: true, ...this.changes(run.message) });
        }
    }

    /** Calls the callback, and tells the robot. */
    finish(run, { called, response, done }) {
        if (run.cancelled || !this.open.delete(run.id)) {
            return;
        }
        const result = { type: 'result', run: run.id, matched: true };
        let returned;
        try {
            returned = called();
            if (run.match.callsItself && !returned) {
                result.matched = false;
            }
        } catch (error) {
            result.error = this.failed(error, response);
        }
        // The robot itself waits until an answer in the message's room is delivered, before it goes on with the message.
        const waits = typeof returned?.then === 'function' && returned !== run.answer;
        const release = waits ? run.hold() : undefined;
        try {
            done?.();
        } catch (error) {
            this.robot.emit('error', error, response);
        }
        run.ended = run.open === 0;
        run.answered = true;
        this.host.write({ ...result, ended: run.ended, ...this.changes(run.message) });
        if (waits) {
            this.wait(run, returned, response, release);
        }
    }

    async wait(run, returned, response, release) {
        try {
            await returned;
        } catch (thrown) {
            run.error = this.failed(thrown, response);
        }
        release();
        this.host.registrations.compare(run.script);
    }

    /** Counts what a run waits for: the promise of its callback, and requests of `msg.http`. */
    track(run) {
        run.open = 0;
        run.hold = () => {
            run.open += 1;
            return () => {
                run.open -= 1;
                if (run.open === 0 && run.answered && !run.ended) {
                    run.ended = true;
                    this.host.write({ type: 'ended', run: run.id, error: run.error });
                }
            };
        };
    }

    failed(thrown, response) {
        // The robot knows what it has refused, and `process.exit` is in the log.
        if (!(thrown instanceof Refused) && !(thrown instanceof ExitCalled)) {
            this.robot.emit('error', thrown, response);
        }
        return describe(thrown).message;
    }

    /** What a script has done to the message. */
    changes(message) {
        const { inFlightMessages } = this.host;
        return { finished: Boolean(message.done), text: inFlightMessages.changedText(message.message ?? message) };
    }

    // Middleware for what the robot does itself

    /** Runs middleware of one kind, and tells the robot whether to continue. */
    runMiddleware({ run: id, kind, message: wire, listener, match, method, strings, disabled = [] }) {
        const stack = this.robot.middleware[kind];
        if (stack === undefined) {
            this.host.write({ type: 'result', run: id, continue: true });
            return;
        }
        const message = this.host.inFlightMessages.message(wire);
        const run = { id, message, disabled: new Set(disabled) };
        const response = this.response(run, match ?? undefined);
        const middlewareContext = { response };
        if (kind === 'listener') {
            middlewareContext.listener = { options: { id: null }, ...listener, robot: this.robot };
        } else if (kind === 'response') {
            Object.assign(middlewareContext, { strings: [...(strings ?? [])], method: method ?? 'send', plaintext: method === 'play' ? undefined : true });
        }
        this.open.set(id, run);
        const answer = (goesOn) => {
            if (this.open.delete(id)) {
                this.host.write({
                    type: 'result', run: id, continue: goesOn, ...this.changes(message),
                    strings: kind === 'response' ? this.host.outgoing.texts([].concat(middlewareContext.strings ?? [])) : undefined,
                });
            }
        };
        context.run({ run }, () => {
            stack.start(middlewareContext, (_context, done) => {
                if (kind === 'receive') {
                    this.host.inFlightMessages.atEnd(message, done);
                    this.replacedReceive.decide(run, answer);
                } else {
                    answer(true);
                    this.after(done, response);
                }
            }, () => {}, () => answer(false));
        });
        this.host.registrations.compare();
    }

    after(done, response) {
        try {
            done();
        } catch (error) {
            this.robot.emit('error', error, response);
        }
    }
}

/** The match as the robot can have it: an array of texts. */
function groups(match) {
    return Array.isArray(match) ? match.map((group) => (group === undefined ? null : String(group).slice(0, limits.text))) : undefined;
}

module.exports = { Runs };
