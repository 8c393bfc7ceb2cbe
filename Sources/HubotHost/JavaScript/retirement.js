'use strict';

/**
 * The end of this process after another one has taken over: what was begun is finished, and nothing new begins.
 *
 * What was begun keeps Node's event loop busy. When the loop is empty, everything is said, and the process ends.
 */
class Retirement {
    /**
     * @param {object} host
     * @param {{ref: () => void, unref: () => void}} input the stream from the robot
     * @param {import('./background-timers').BackgroundTimers} timers
     */
    constructor(host, input, timers) {
        this.host = host;
        this.input = input;
        timers.stop();
        process.on('beforeExit', () => (this.isWaiting ? this.input.ref() : this.host.stop()));
        this.check();
    }

    /** Whether the robot still has something to say about what was begun. */
    get isWaiting() {
        const { inFlightMessages, outgoing, runs, web } = this.host;
        return inFlightMessages.current.size > 0 || outgoing.requests.size > 0 || runs.open.size > 0 || web.open.size > 0;
    }

    /** Lets the process end if it doesn't wait for the robot; called after each message of the robot. */
    check() {
        if (this.isWaiting) {
            this.input.ref();
        } else {
            this.input.unref();
        }
    }
}

module.exports = { Retirement };
