'use strict';

const context = require('./context');
const limits = require('./limits');
const messages = require('./message-classes');
const { run: runKey } = require('./response');
const User = require('./user');

/** The robot has refused a request. */
class Refused extends Error {}

/** What scripts send, and the robot's answers to that. */
class Outgoing {
    constructor(host) {
        this.host = host;
        this.requests = new Map();
        this.next = 1;
    }

    /**
     * Sends texts. A function as the last of them is called when the robot has delivered them.
     * @param {string} kind
     * @param {any} envelope a Hubot envelope, a user, or a room's name
     * @param {any[]} strings
     * @returns {Promise<void>} ends when the robot has delivered the texts
     */
    send(kind, envelope, strings) {
        const callback = typeof strings[strings.length - 1] === 'function' ? strings[strings.length - 1] : undefined;
        const texts = this.texts(strings.filter((text) => text !== null && text !== undefined && typeof text !== 'function'));
        if (texts.length === 0) {
            return Promise.resolve().then(() => callback?.());
        }
        const run = envelope?.[runKey] ?? context.currentRun();
        const to = target(envelope);
        const sent = this.request({ type: 'send', kind, ...to, run: run?.id, script: context.caller()?.id, strings: texts });
        if (run !== undefined && to.room !== null && to.room === run.room) {
            run.answer = sent;
        }
        if (callback) {
            sent.then(() => callback(), () => callback());
        }
        return sent;
    }

    /** As many texts as one message to the robot may have. */
    texts(values) {
        const texts = [];
        let size = 0;
        for (const value of values.slice(0, limits.texts)) {
            const text = this.text(value);
            size += JSON.stringify(text).length;
            if (size > limits.allTexts) {
                break;
            }
            texts.push(text);
        }
        if (texts.length < values.length) {
            this.host.log('warning', `only the first ${texts.length} of ${values.length} texts are sent: at most ${limits.texts} texts with a total of ${limits.allTexts} characters as JSON can be sent at once`);
        }
        return texts;
    }

    text(value) {
        const text = typeof value === 'string' ? value : stringOf(value);
        if (text.length <= limits.text) {
            return text;
        }
        this.host.log('warning', `a text of ${text.length} characters was cut to ${limits.text} characters`);
        return text.slice(0, limits.text);
    }

    /** Gives a message to the robot as if a network had brought it. */
    inject(message) {
        if (message === null || typeof message !== 'object') {
            return Promise.reject(new TypeError('robot.receive needs a message'));
        }
        if (this.host.runs.replacedReceive.hasMessage(message)) {
            return Promise.resolve();
        }
        const { user } = message;
        const said = message instanceof messages.CatchAllMessage && message.message ? message.message : message;
        return this.request({
            type: 'receive',
            token: this.host.inFlightMessages.keepInjected(message),
            run: context.currentRun()?.id,
            script: context.caller()?.id,
            message: {
                kind: kindOf(message),
                room: nameOf(message.room ?? user?.room),
                user: user ? { id: String(user.id), name: String(user.name ?? user.id) } : null,
                id: said.id === undefined ? undefined : String(said.id),
                text: said.text === undefined ? '' : this.text(said.text),
            },
        });
    }

    request(message) {
        if (this.host.retirement !== null && message.run === undefined && !context.isWork()) {
            const refused = Promise.reject(new Refused('a new process runs the Hubot scripts now'));
            refused.catch(() => {});
            return refused;
        }
        const request = this.next;
        this.next += 1;
        const answered = new Promise((resolve, reject) => {
            this.requests.set(request, { resolve, reject });
        });
        // Scripts of Hubot 2 and 3 don't wait; the robot logs what it refuses.
        answered.catch(() => {});
        if (this.requests.size > limits.requests) {
            const [oldest, { reject }] = this.requests.entries().next().value;
            this.requests.delete(oldest);
            reject(new Refused('the robot has not answered'));
        }
        this.host.write({ ...message, request });
        return answered;
    }

    /** Takes the robot's answer to a request. */
    answered({ request, error, value }) {
        const waiting = this.requests.get(request);
        this.requests.delete(request);
        if (error !== undefined && error !== null) {
            waiting?.reject(new Refused(String(error)));
        } else {
            waiting?.resolve(value ?? undefined);
        }
    }
}

/** The room and the user of an envelope in one of its historical forms. */
function target(envelope) {
    if (typeof envelope === 'string') {
        return { room: envelope };
    }
    const isUser = envelope instanceof User || (envelope?.user === undefined && envelope?.id !== undefined && envelope?.room === undefined);
    const user = isUser ? envelope : envelope?.user;
    const room = envelope?.room ?? user?.room ?? envelope?.message?.room;
    return {
        room: nameOf(room),
        user: user?.id === undefined || user?.id === null ? undefined : String(user.id),
    };
}

function nameOf(room) {
    return room === undefined || room === null || room === '' ? null : String(room);
}

function stringOf(value) {
    try {
        return String(value);
    } catch {
        return Object.prototype.toString.call(value);
    }
}

function kindOf(message) {
    if (message instanceof messages.EnterMessage) {
        return 'enter';
    }
    if (message instanceof messages.LeaveMessage) {
        return 'leave';
    }
    if (message instanceof messages.TopicMessage) {
        return 'topic';
    }
    return message instanceof messages.CatchAllMessage ? 'catchAll' : 'text';
}

module.exports = { Outgoing, Refused };
