'use strict';

const limits = require('./limits');
const messages = require('./message-classes');

/** The messages that the robot routes now: all listeners of a message get the same object. */
class InFlightMessages {
    constructor(host, robot, mainAdapter) {
        this.host = host;
        this.robot = robot;
        this.mainAdapter = mainAdapter;
        this.current = new Map();
        // What the robot says about a message, by Hubot's object.
        this.facts = new WeakMap();
        // Messages that scripts have injected, by token.
        this.injected = new Map();
        this.nextToken = 1;
    }

    /** Hubot's object for a message of the robot. */
    message(wire) {
        const known = this.current.get(wire.number);
        const text = known ?? this.make(wire);
        if (known) {
            this.update(known, wire);
        } else {
            this.current.set(wire.number, text);
            forgetOldest(this.current, limits.messages);
        }
        if (wire.kind !== 'catchAll') {
            return text;
        }
        if (text instanceof messages.CatchAllMessage) {
            return text;
        }
        const { facts } = this;
        const last = facts.get(text);
        last.catchAll ??= new messages.CatchAllMessage(text);
        facts.set(last.catchAll, last);
        return last.catchAll;
    }

    /** The robot, or a script whose change it has got, may have changed the text since the message was first seen. */
    update(message, wire) {
        const facts = this.facts.get(message);
        facts.command = wire.command ?? null;
        if (typeof wire.text === 'string' && message.text === facts.text && wire.text !== facts.text) {
            message.text = wire.text;
            facts.text = wire.text;
        }
    }

    make(wire) {
        const injected = wire.token === undefined ? undefined : this.injected.get(wire.token);
        const message = injected ?? this.build(wire);
        if (injected) {
            this.injected.delete(wire.token);
        } else {
            message.room = wire.room;
        }
        this.facts.set(message, { command: wire.command ?? null, text: message.text, done: [] });
        return message;
    }

    build(wire) {
        const user = this.user(wire);
        switch (wire.kind === 'catchAll' ? wire.original : wire.kind) {
        case 'enter': return new messages.EnterMessage(user);
        case 'leave': return Object.assign(new messages.LeaveMessage(user), wire.text ? { text: wire.text } : {});
        case 'topic': return new messages.TopicMessage(user, wire.text ?? '', wire.id);
        default: return new messages.TextMessage(user, wire.text ?? '', wire.id);
        }
    }

    user({ user, room }) {
        if (!user) {
            return new (require('./user'))('', { room, robot: this.robot });
        }
        const { id, ...properties } = user;
        const found = this.robot.brain.userForId(id, { ...properties, room });
        // Another name of the same user, such as a new nickname.
        found.name = properties.name ?? found.name;
        return found;
    }

    /** Takes users that the robot knows, so that scripts find them before they have said anything to a script. */
    meet(users) {
        for (const { id, ...properties } of users ?? []) {
            const isNew = !Object.hasOwn(this.robot.brain.data.users, id);
            this.robot.brain.userForId(id, properties);
            if (isNew) {
                this.host.brainStore?.knowsUser(id);
            }
        }
    }

    /** What the message says to the robot, without its name; null if it doesn't address the robot. */
    commandText(message) {
        return this.facts.get(message)?.command ?? null;
    }

    /** The text of a message if a script has changed it. */
    changedText(message) {
        const facts = this.facts.get(message);
        if (!facts || message.text === undefined || message.text === facts.text) {
            return undefined;
        }
        facts.text = message.text;
        // The robot finds out again whether it is addressed.
        return String(message.text).slice(0, limits.text);
    }

    /** Keeps a message that a script injects, so that its listeners get this very object. */
    keepInjected(message) {
        const token = this.nextToken;
        this.nextToken += 1;
        this.injected.set(token, message);
        forgetOldest(this.injected, limits.messages);
        return token;
    }

    /** Something to call when the robot has finished with a message. */
    atEnd(message, done) {
        this.facts.get(message)?.done.push(done);
    }

    /** The robot has finished with a message. */
    end(number) {
        const message = this.current.get(number);
        this.current.delete(number);
        return this.facts.get(message)?.done.splice(0) ?? [];
    }
}

function forgetOldest(map, limit) {
    if (map.size > limit) {
        map.delete(map.keys().next().value);
    }
}

module.exports = { InFlightMessages };
