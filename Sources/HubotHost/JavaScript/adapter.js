'use strict';

const callableWithoutNew = require('./callable-without-new');
const { ScriptEvents } = require('./script-events');

/** The base of adapters, for scripts that make one of their own. */
const Adapter = callableWithoutNew(class Adapter extends ScriptEvents {
    constructor(robot) {
        super();
        Object.defineProperty(this, 'robot', { value: robot, configurable: true, writable: true });
    }

    send(_envelope, ..._strings) {}

    emote(envelope, ...strings) {
        return this.send(envelope, ...strings);
    }

    reply(_envelope, ..._strings) {}

    topic(_envelope, ..._strings) {}

    play(_envelope, ..._strings) {}

    locked(envelope, ...strings) {
        return this.send(envelope, ...strings);
    }

    run() {}

    close() {}

    receive(message) {
        return this.robot.receive(message);
    }

    // Hubot 2 has these on the adapter.
    users() {
        return this.robot.brain.users();
    }

    userForId(id, options) {
        return this.robot.brain.userForId(id, options);
    }

    userForName(name) {
        return this.robot.brain.userForName(name);
    }

    usersForRawFuzzyName(name) {
        return this.robot.brain.usersForRawFuzzyName(name);
    }

    usersForFuzzyName(name) {
        return this.robot.brain.usersForFuzzyName(name);
    }

    http(url, options) {
        return this.robot.http(url, options);
    }
});

/** All networks of the robot, as one adapter. */
class HeybotAdapter extends Adapter {
    /**
     * @param {object} robot
     * @param {(kind: string, envelope: any, strings: any[]) => Promise<void>} send
     * @param {string} name the first network's
     */
    constructor(robot, send, name) {
        super(robot);
        Object.defineProperty(this, '_send', { value: send });
        this.name = name;
    }

    run() {
        this.robot.logger.debug('the robot runs its networks, so adapter.run does nothing');
    }

    close() {
        this.robot.logger.warning("a script can't close the robot's networks, so adapter.close does nothing");
    }
}
for (const kind of ['send', 'reply', 'emote', 'topic', 'play', 'locked']) {
    HeybotAdapter.prototype[kind] = function say(envelope, ...strings) {
        return this._send(kind, envelope, strings);
    };
}

module.exports = { Adapter, HeybotAdapter };
