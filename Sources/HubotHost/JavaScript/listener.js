'use strict';

const callableWithoutNew = require('./callable-without-new');

/** What the robot has to know about a listener, beyond Hubot's own properties. */
const details = Symbol('details');

/** A matcher with a callback. */
const Listener = callableWithoutNew(class Listener {
    /**
     * @param {object} robot
     * @param {(message: object) => any} matcher
     * @param {object} [options]
     * @param {(response: object) => any} callback
     */
    constructor(robot, matcher, options, callback) {
        if (matcher == null) {
            throw new Error('Missing a matcher for Listener');
        }
        if (callback == null) {
            callback = options;
            options = {};
        }
        if (typeof callback !== 'function') {
            throw new Error('Missing a callback for Listener');
        }
        this.robot = robot;
        this.matcher = matcher;
        this.options = options ?? {};
        this.options.id ??= null;
        this.callback = callback;
    }

    /**
     * Runs the callback if the message matches. The robot doesn't call this; scripts do.
     * @returns {boolean} whether it matched
     */
    call(message, middleware, didMatch) {
        if (didMatch == null && typeof middleware === 'function') {
            didMatch = middleware;
            middleware = undefined;
        }
        const match = this.matcher(message);
        if (!match) {
            process.nextTick(() => didMatch?.(false));
            return false;
        }
        const response = new this.robot.Response(this.robot, message, match);
        const execute = (_context, done) => {
            this.robot.callListener(this, response);
            done();
        };
        const over = () => process.nextTick(() => didMatch?.(true));
        if (middleware) {
            middleware.execute({ listener: this, response }, execute, over);
        } else {
            execute({}, over);
        }
        return true;
    }
});

/** A listener with a regular expression, for messages that have a text. */
const TextListener = callableWithoutNew(class TextListener extends Listener {
    constructor(robot, regex, options, callback) {
        super(robot, (message) => (typeof message.match === 'function' ? message.match(regex) : undefined), options, callback);
        this.regex = regex;
    }
});

module.exports = { Listener, TextListener, details };
