'use strict';

const limits = require('./limits');

// How long a change may wait, in milliseconds.
const interval = 1000;

/** Tells the robot what scripts have changed in the brain, entry by entry: the robot keeps it. */
class BrainStore {
    constructor(host, brain) {
        this.host = host;
        this.brain = brain;
        // The entries that the robot has, as JSON, by key.
        this.known = new Map();
        this.received = [];
        this.reported = new Set();
    }

    /** Takes entries that the robot has kept. */
    receive(entries) {
        this.received.push(...entries);
    }

    /** Puts the received entries into the brain, which is loaded then, and begins to look for changes. */
    begin() {
        const data = { ...this.brain.data };
        for (const { key, value } of this.received) {
            const path = pathOf(key);
            if (path.length === 1) {
                data[path[0]] = value;
            } else if (path.length === 2) {
                const group = data[path[0]];
                data[path[0]] = group !== null && typeof group === 'object' ? group : {};
                define(data[path[0]], path[1], value);
            }
            this.known.set(key, JSON.stringify(value));
        }
        this.received = [];
        this.brain.mergeData(data);
        this.brain.on('save', () => this.compare());
        this.plan(interval);
    }

    plan(delay) {
        this.timer = setTimeout(() => {
            const start = performance.now();
            this.compare();
            // A large brain mustn't take more than a twentieth of the time.
            this.plan(Math.max(interval, (performance.now() - start) * 20));
        }, delay);
        this.timer.unref();
    }

    /** Tells the robot what has changed. */
    compare() {
        const now = this.snapshot();
        let changes = [];
        let size = 0;
        const add = (key, text) => {
            changes.push(text === undefined ? { key } : { key, value: JSON.parse(text) });
            size += key.length + (text?.length ?? 0);
            if (size > limits.brainMessage) {
                this.host.write({ type: 'brain', entries: changes });
                [changes, size] = [[], 0];
            }
        };
        for (const [key, text] of now) {
            if (this.known.get(key) !== text) {
                add(key, text);
            }
        }
        for (const key of this.known.keys()) {
            if (!now.has(key)) {
                add(key);
            }
        }
        if (changes.length > 0) {
            this.host.write({ type: 'brain', entries: changes });
        }
        this.known = now;
    }

    /** The entries of the brain as JSON, by key: those of `data`, or of the objects in it. */
    snapshot() {
        const entries = new Map();
        for (const [name, value] of Object.entries(this.brain.data)) {
            if (isGroup(value)) {
                for (const [key, one] of Object.entries(value)) {
                    this.add(entries, JSON.stringify([name, key]), one);
                }
            } else {
                this.add(entries, JSON.stringify([name]), value);
            }
        }
        return entries;
    }

    add(entries, key, value) {
        let text;
        let problem;
        try {
            text = JSON.stringify(value);
            problem = text?.length > limits.brainValue ? `it is longer than ${limits.brainValue} characters` : undefined;
        } catch (error) {
            problem = error.message;
        }
        if (problem !== undefined) {
            if (!this.reported.has(key)) {
                this.reported.add(key);
                this.host.log('error', `the brain's entry ${key.slice(0, 200)} can't be kept: ${problem}`);
            }
            // What was kept before stays.
            text = this.known.get(key);
        }
        // To Hubot, null is no value.
        if (text !== undefined && text !== 'null') {
            entries.set(key, text);
        }
    }
}

function isGroup(value) {
    return value !== null && typeof value === 'object' && !Array.isArray(value)
        && typeof value.toJSON !== 'function' && Object.keys(value).length > 0;
}

function pathOf(key) {
    try {
        return JSON.parse(key).map(String);
    } catch {
        return [];
    }
}

/** Sets a property, also one that is named `__proto__`. */
function define(object, name, value) {
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

module.exports = { BrainStore };
