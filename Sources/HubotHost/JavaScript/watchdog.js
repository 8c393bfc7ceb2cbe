'use strict';

const path = require('path');
// Node's own functions: a process that another one replaces stops those of scripts.
const { setInterval, setTimeout } = require('timers');
const v8 = require('v8');
const { Worker } = require('worker_threads');
const context = require('./context');
const protocol = require('./json-lines');
const { describe } = require('./error-description');

/** How often this thread shows that it is alive, in milliseconds. */
const interval = 500;
const name = Symbol.for('heybot.busy');

/**
 * Tells the robot which script keeps this process busy, or uses up its memory, and in which line.
 *
 * A script in an endless loop runs on this thread, so another thread notices it. That one then interrupts the loop for a
 * moment, through Node's inspector, to call a function of this class. So the function runs on top of the script's own code:
 * the stack and the context say which script it is.
 */
class Watchdog {
    /**
     * @param {object} host
     * @param {number} busyTime how long a script may run before the robot is told, in milliseconds
     */
    constructor(host, busyTime) {
        this.host = host;
        const beats = new Int32Array(new SharedArrayBuffer(4));
        setInterval(() => { Atomics.add(beats, 0, 1); }, interval).unref();
        Object.defineProperty(globalThis, name, { value: (reason, milliseconds) => this.report(reason, milliseconds) });
        const worker = new Worker(path.join(__dirname, 'watchdog-thread.js'), {
            workerData: { beats, busyTime: busyTime + interval, heapLimit: v8.getHeapStatistics().heap_size_limit },
            env: {},
            execArgv: [],
            resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
        });
        /** Ends when the other thread is ready, which the robot mustn't wait for long. */
        this.ready = new Promise((resolve) => {
            worker.once('message', resolve);
            worker.once('error', resolve);
            setTimeout(resolve, 2000).unref();
        });
        worker.on('error', (error) => host.log('warning', `endless loops in scripts won't be noticed: ${error.message}`));
        worker.unref();
        this.worker = worker;
    }

    /** Ends the other thread. */
    close() {
        return this.worker.terminate();
    }

    /**
     * Called in the middle of the code that runs now.
     * @param {string} reason `time` or `memory`
     * @param {number} milliseconds how long the thread hasn't returned
     * @returns {boolean} whether it is known which script runs
     */
    report(reason, milliseconds) {
        if (protocol.isWriting()) {
            return false;
        }
        const limit = Error.stackTraceLimit;
        Error.stackTraceLimit = 100;
        const here = new Error('busy');
        Error.stackTraceLimit = limit;
        const script = this.host.scriptOf(here);
        const run = context.currentRun();
        if (script === undefined && run === undefined) {
            return false;
        }
        const { file, line } = describe(here);
        this.host.write({
            type: 'busy', reason, milliseconds: Math.round(milliseconds), script: script?.id, run: run?.id,
            listener: run && this.host.registrations.ids.get(run.listener), file, line,
        });
        return true;
    }
}

module.exports = { Watchdog };
