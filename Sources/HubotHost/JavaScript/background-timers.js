'use strict';

const Module = require('module');
const timers = require('timers');
const context = require('./context');

/**
 * Remembers the timers that scripts start on their own, such as one that posts a reminder every day; not those that belong to
 * a message or a web request. When another process takes over, which has the same timers, these must not fire any more.
 */
class BackgroundTimers {
    constructor() {
        this.timers = new Set();
        this.most = 100;
        for (const name of ['setTimeout', 'setInterval']) {
            const original = timers[name];
            const wrapped = { [name]: (...values) => this.keep(original(...values)) }[name];
            // `util.promisify` finds the special form of setTimeout on the function.
            Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
            globalThis[name] = wrapped;
            timers[name] = wrapped;
        }
        Module.syncBuiltinESMExports();
    }

    keep(timer) {
        if (!context.isWork()) {
            this.timers.add(timer);
            if (this.timers.size > this.most) {
                this.forgetEnded();
                this.most = Math.max(100, 2 * this.timers.size);
            }
        }
        return timer;
    }

    forgetEnded() {
        for (const timer of this.timers) {
            // Node's own mark of a timer that has fired or was cleared.
            if (timer._destroyed) {
                this.timers.delete(timer);
            }
        }
    }

    /** Stops all of them. */
    stop() {
        for (const timer of this.timers) {
            clearTimeout(timer);
        }
        this.timers.clear();
    }
}

module.exports = { BackgroundTimers };
