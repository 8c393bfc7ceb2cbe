'use strict';

const { format } = require('util');

// Each level with its names: those of Hubot 2 and 3, and those of pino, which Hubot has used since 5.
const levels = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical'];
const names = {
    trace: 'trace', debug: 'debug', info: 'info', notice: 'notice', warning: 'warning', warn: 'warning', error: 'error',
    critical: 'critical', alert: 'critical', emergency: 'critical', fatal: 'critical',
};

/** The log, with the names that both generations of Hubot have for its levels. */
class Logger {
    /**
     * @param {(level: string, text: string) => void} write
     * @param {string} level messages below it are dropped
     */
    constructor(write, level) {
        Object.defineProperty(this, 'write', { value: write });
        this.level = names[level] ?? 'info';
    }

    /** Whether messages of a level are written. */
    isLevelEnabled(level) {
        const least = levels.indexOf(names[this.level] ?? 'info');
        return this.level !== 'silent' && levels.indexOf(names[level]) >= least;
    }

    /** A logger for a part of a script: the same one. */
    child() {
        return this;
    }

    /** Hubot 2's general function: the level, then the text. */
    log(level, ...values) {
        if (Object.hasOwn(names, String(level).toLowerCase())) {
            this[String(level).toLowerCase()](...values);
        } else {
            this.info(level, ...values);
        }
    }

    flush() {}
}
for (const [name, level] of Object.entries(names)) {
    Logger.prototype[name] = function write(...values) {
        if (this.isLevelEnabled(name)) {
            this.write(level, text(values));
        }
    };
}

/** pino's order is an object with details, then the text. */
function text(values) {
    const [first, second, ...others] = values;
    if (first !== null && typeof first === 'object' && !(first instanceof Error) && typeof second === 'string') {
        return `${format(second, ...others)} ${format(first.err ?? first)}`;
    }
    return format(...values);
}

module.exports = { Logger, levels };
