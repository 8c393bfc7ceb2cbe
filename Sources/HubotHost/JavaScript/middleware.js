'use strict';

const callableWithoutNew = require('./callable-without-new');
const { caller, currentRun } = require('./context');
const { run: runKey } = require('./response');

/** The scripts that have added functions, by function. */
const owners = new WeakMap();

/** A stack of middleware of both kinds: `(context, next, done)`, and `async (context)` which stops by returning false. */
class Middleware {
    constructor(robot) {
        Object.defineProperty(this, 'robot', { value: robot, configurable: true, writable: true });
        this.stack = [];
    }

    /** Adds middleware. */
    register(middleware) {
        if (typeof middleware !== 'function' || (middleware.length !== 3 && middleware.length !== 1)) {
            const found = typeof middleware === 'function' ? middleware.length : `no function but ${typeof middleware}`;
            throw new Error(`Incorrect number of arguments for middleware callback (expected 3, got ${found})`);
        }
        owners.set(middleware, caller());
        this.stack.push(middleware);
    }

    /**
     * Runs the stack. Middleware that doesn't wait runs before this returns.
     *
     * @param {object} context
     * @param {(context: object, done: () => void) => void} [next] is called if all middleware has continued
     * @param {() => void} [done] is called when all is over, or when middleware has stopped
     * @returns {Promise<boolean>} whether all middleware has continued
     */
    execute(context, next, done) {
        return new Promise((resolve) => {
            this.step(0, context, done ?? (() => {}), (finalDone) => {
                resolve(true);
                next?.(context, finalDone);
            }, () => resolve(false));
        });
    }

    /**
     * As `execute`, without a promise. `stopped` is called if middleware has stopped.
     */
    start(context, next, done, stopped) {
        this.step(0, context, done, (finalDone) => next(context, finalDone), stopped);
    }

    step(index, context, done, onEnd, onStop) {
        if (index >= this.stack.length) {
            onEnd(done);
            return;
        }
        const middleware = this.stack[index];
        if (isOff(middleware, context)) {
            this.step(index + 1, context, done, onEnd, onStop);
            return;
        }
        let decided = false;
        const next = (newDone) => {
            if (!decided) {
                decided = true;
                this.step(index + 1, context, typeof newDone === 'function' ? newDone : done, onEnd, onStop);
            }
        };
        // Called instead of `next` it stops; afterwards, in the function given to `next`, it continues what is outside.
        const stop = () => {
            if (!decided) {
                decided = true;
                onStop();
            }
            done();
        };
        const fail = (error) => {
            this.robot.emit('error', error, context.response);
            if (!decided) {
                stop();
            }
        };
        try {
            if (middleware.length === 3) {
                const returned = middleware(context, next, stop);
                // An async function with a callback: an error of its own must not be lost.
                if (typeof returned?.then === 'function') {
                    returned.then(undefined, fail);
                }
                return;
            }
            const returned = middleware(context);
            if (typeof returned?.then === 'function') {
                returned.then((value) => (value === false ? stop() : next()), fail);
            } else if (returned === false) {
                stop();
            } else {
                next();
            }
        } catch (error) {
            fail(error);
        }
    }
}

/** Whether the robot has said, with the message, that the function's script is off. */
function isOff(middleware, context) {
    const run = context?.response?.envelope?.[runKey] ?? currentRun();
    return run?.disabled?.has(owners.get(middleware)?.id) === true;
}

module.exports = callableWithoutNew(Middleware);
