'use strict';

const callableWithoutNew = require('./callable-without-new');

/** The run of a listener to which a response, or its envelope, belongs. */
const run = Symbol('run');

/** What a callback gets: the message, the match, and how to answer. */
class Response {
    constructor(robot, message, match) {
        this.robot = robot;
        this.message = message;
        this.match = match;
        this.envelope = { room: message.room, user: message.user, message };
    }

    /** Sends texts to the room. Returns a promise; a function as the last argument is called afterwards. */
    send(...strings) {
        return this._say('send', strings);
    }

    /** Says that the robot does something. */
    emote(...strings) {
        return this._say('emote', strings);
    }

    /** Sends texts that address the user. */
    reply(...strings) {
        return this._say('reply', strings);
    }

    /** Changes the room's topic. */
    topic(...strings) {
        return this._say('topic', strings);
    }

    /** Plays sounds. */
    play(...strings) {
        return this._say('play', strings);
    }

    /** Sends texts that the network doesn't record. */
    locked(...strings) {
        return this._say('locked', strings);
    }

    _say(method, strings) {
        const { robot, envelope } = this;
        const middleware = robot.middleware.response;
        if (middleware.stack.length === 0) {
            return robot.adapter[method](envelope, ...strings);
        }
        const callback = typeof strings[strings.length - 1] === 'function' ? strings.pop() : undefined;
        const context = { response: this, strings, method };
        if (method !== 'play') {
            context.plaintext = true;
        }
        const said = new Promise((resolve, reject) => {
            middleware.start(context, (_context, done) => {
                const sent = robot.adapter[method](envelope, ...context.strings);
                Promise.resolve(sent).then(resolve, reject).then(() => callback?.());
                done();
            }, () => {}, () => resolve());
        });
        // Only a script that waits for the promise gets its error; the robot has logged it.
        said.catch(() => {});
        return said;
    }

    /** One of the items. */
    random(items) {
        return items[Math.floor(Math.random() * items.length)];
    }

    /** No later listener gets this message. */
    finish() {
        this.message.finish();
    }

    /** A client for one HTTP request. */
    http(url, options) {
        return this.robot.http(url, options);
    }
}

module.exports = { Response: callableWithoutNew(Response), run };
