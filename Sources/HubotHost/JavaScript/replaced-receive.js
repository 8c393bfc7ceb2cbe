'use strict';

const context = require('./context');

/**
 * Lets a function with which a script has replaced `robot.receive` decide about the robot's messages: a message goes on if the
 * function calls the original one with it, at once or before the promise that it returns has ended.
 */
class ReplacedReceive {
    constructor(host, robot) {
        this.host = host;
        this.robot = robot;
        /** The messages that went on too late, so that they are passed to the robot again; then they aren't asked about. */
        this.late = new WeakSet();
    }

    /**
     * Calls the function, if there is one.
     * @param {object} run the middleware's, with the message
     * @param {(goesOn: boolean) => void} answer
     */
    decide(run, answer) {
        const { message } = run;
        if (this.robot.receive === this.host.registrations.receive || this.late.delete(message)) {
            answer(true);
            return;
        }
        const passing = { message, run, goesOn: undefined };
        passing.decide = (goesOn) => {
            if (passing.goesOn === undefined) {
                passing.goesOn = goesOn;
                answer(goesOn);
            }
        };
        const fail = (error) => {
            this.robot.emit('error', error, this.host.runs.response(run, []));
            passing.decide(true);
        };
        context.run({ run, passing }, () => {
            try {
                const returned = this.robot.receive(message);
                if (typeof returned?.then === 'function') {
                    returned.then(() => passing.decide(false), fail);
                } else {
                    passing.decide(false);
                }
            } catch (error) {
                fail(error);
            }
        });
    }

    /** The original function was called: whether the robot has the message already, so that it needn't get it again. */
    hasMessage(message) {
        const passing = context.passing();
        if (passing?.message !== message) {
            return false;
        }
        passing.decide(true);
        // If the robot has waited too long, it has gone on without an answer.
        const has = passing.goesOn || passing.run.cancelled === true;
        if (!has) {
            this.late.add(message);
        }
        return has;
    }
}

module.exports = { ReplacedReceive };
