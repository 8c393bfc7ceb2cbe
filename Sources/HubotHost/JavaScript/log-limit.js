'use strict';

// Node's own functions: a process that another one replaces stops those of scripts.
const { clearTimeout, setTimeout } = require('timers');
const limits = require('./limits');

/** Writes log messages and errors, but drops those of a script that makes them in a loop, and counts them. */
class LogLimit {
    /** @param {(message: object) => void} write */
    constructor(write) {
        this.send = write;
        this.left = limits.logBurst;
        this.time = Date.now();
        this.dropped = 0;
    }

    write(level, script, text) {
        this.pass({ type: 'log', level, script, text });
    }

    /** Writes a message if there weren't too many. */
    pass(message) {
        const now = Date.now();
        this.left = Math.min(limits.logBurst, this.left + ((now - this.time) / 1000) * limits.logRate);
        this.time = now;
        if (this.left < 1) {
            this.dropped += 1;
            this.firstDropped ??= now;
            this.timer ??= setTimeout(() => this.flush(), 1000).unref();
            return;
        }
        this.left -= 1;
        // The timer doesn't run while a script doesn't return.
        if (now - this.firstDropped >= 1000) {
            this.flush();
        }
        this.send(message);
    }

    /** Says how many messages were dropped. */
    flush() {
        clearTimeout(this.timer);
        this.timer = undefined;
        if (this.dropped > 0) {
            const { dropped } = this;
            this.dropped = 0;
            this.firstDropped = undefined;
            this.send({ type: 'log', level: 'warning', text: `${dropped} log messages were dropped, because there were too many`, dropped });
        }
    }
}

module.exports = { LogLimit };
