'use strict';

// Node's own functions: a process that another one replaces stops those of scripts.
const { clearTimeout, setTimeout } = require('timers');
const { BrainTree, isAlways } = require('./brain-tree');
const limits = require('./limits');

// Scripts may replace these functions, such as when they use a nick as the name of a property.
const objects = { hasOwn: Object.hasOwn, entries: Object.entries, defineProperty: Object.defineProperty };
const json = { stringify: JSON.stringify, parse: JSON.parse };

// The times are in milliseconds.
/** From the end of a look for changes to the next one. */
const interval = 500;
/** The least time between two looks if scripts call `brain.save`. */
const shortest = 100;
/** How long a look may keep other code from running. */
const slice = 3;
/** A look may take this part of the time: 1 in 20. */
const share = 20;

/**
 * Keeps `robot.brain` in the robot: puts what the robot has kept into it, and tells the robot, entry by entry, what scripts
 * have changed.
 */
class BrainStore {
    constructor(host, brain) {
        this.host = host;
        this.brain = brain;
        this.received = new Map();
        this.reported = new Set();
        this.changes = new Changes((entries) => this.host.write({ type: 'brain', entries }));
        this.tree = new BrainTree((path, problem) => this.refuse(path, problem));
        this.loaded = false;
        this.saving = false;
        this.looking = null;
        this.timer = null;
        this.lastLook = 0;
    }

    /** Takes entries that the robot has kept, or, after `begin`, that something else has changed in the robot. */
    receive(entries) {
        this.finishBegun();
        for (const { key, value } of entries) {
            const path = pathOf(key);
            if (path === null) {
                this.host.log('warning', `the key of an entry in the brain isn't a list of names: ${String(key).slice(0, 200)}`);
            } else if (this.loaded) {
                this.apply(path, value);
            } else {
                this.received.set(key, { path, value });
            }
        }
    }

    /** Puts the received entries into the brain, which is loaded then, and begins to look for changes. */
    begin() {
        const stored = {};
        const entries = [...this.received.values()].filter(({ value }) => value !== undefined && value !== null);
        this.received = new Map();
        // A divided object may have been stored whole before; what was stored in parts is newer.
        entries.sort((one, other) => one.path.length - other.path.length);
        for (const { path, value } of entries) {
            // Without these objects, a brain isn't one; a script has replaced them.
            const isBroken = isAlways(path) && !isObject(value);
            if (!isBroken && place(stored, path, value)) {
                this.tree.set(path, value);
            } else {
                // Something that isn't an object has taken its place, or that of an object; the next look removes it.
                this.tree.node(path).text = json.stringify(value);
            }
        }
        this.brain._merge(stored);
        for (const [id, user] of objects.entries(this.brain.data.users ?? {})) {
            // Users are made from what was stored, and get a name if they had none: that isn't a change.
            const path = ['users', id];
            if (objects.hasOwn(stored.users ?? {}, id) && this.tree.node(path).children === null) {
                this.tree.set(path, user);
            }
        }
        this.loaded = true;
        this.brain.on('save', () => {
            this.saving = true;
            this.plan(Math.max(0, this.lastLook + shortest - performance.now()));
        });
        this.plan(interval);
        this.brain.emit('loaded', this.brain.data);
    }

    /** Puts one entry into the loaded brain. It is no change of a script. */
    apply(path, value) {
        const { data } = this.brain;
        if (this.tree.isChanged(path, data)) {
            // A script has changed it since the last look: that is newer, and the next look reports it.
            if (value === undefined || value === null) {
                this.tree.remove(path);
            } else {
                this.tree.set(path, value);
            }
            return;
        }
        if (value === undefined || value === null) {
            const before = this.tree.remove(path);
            if (this.tree.hasEntry(path)) {
                // Entries below it have taken its place.
                this.removeOthers(path, before === undefined ? undefined : json.parse(before));
            } else {
                remove(data, path);
                this.removeEmpty(path.slice(0, -1));
            }
            return;
        }
        const isUser = path.length === 2 && path[0] === 'users' && typeof value === 'object';
        const live = isUser ? this.brain._user(path[1], value) : value;
        makeObjects(data, path);
        place(data, path, live);
        this.tree.set(path, live);
    }

    /** Removes what an object had that now has entries of its own, unless it is in one of these. */
    removeOthers(path, before) {
        for (const [key, value] of objects.entries(isObject(before) ? before : {})) {
            const at = [...path, key];
            if (!this.tree.hasEntry(at)) {
                remove(this.brain.data, at);
            } else if (this.tree.find(at).text === undefined) {
                this.removeOthers(at, value);
            }
        }
    }

    /** Removes objects without content whose entries have all been removed; an empty object that is kept has an entry. */
    removeEmpty(path) {
        const { data } = this.brain;
        let at = path;
        while (at.length > 0 && !isAlways(at) && isEmptyObject(valueAt(data, at)) && !this.tree.hasEntry(at)) {
            remove(data, at);
            at = at.slice(0, -1);
        }
    }

    /** Notes that the robot knows a user, so that it isn't told until a script changes it. */
    knowsUser(id) {
        if (this.loaded) {
            this.finishBegun();
            this.tree.set(['users', String(id)], this.brain.data.users[id]);
        }
    }

    /** Finishes a look that has begun: what the robot says must not change the tree in the middle of it. */
    finishBegun() {
        if (this.looking !== null) {
            this.tree.deadline = Infinity;
            while (!this.isDone(this.looking));
            this.finishLook(0);
        }
    }

    /** Looks for changes after a delay. */
    plan(delay) {
        if (this.looking !== null) {
            return;
        }
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.beginLook(), delay);
        this.timer.unref();
    }

    beginLook() {
        // Hubot then saves only if a script asks for it.
        if (!this.brain.autoSave && !this.saving) {
            this.plan(interval);
            return;
        }
        this.saving = false;
        this.looking = this.look();
        this.cost = 0;
        this.continueLook();
    }

    /** Looks for a few milliseconds; the rest follows after other code. */
    continueLook() {
        const { looking } = this;
        if (looking === null) {
            return;
        }
        const start = performance.now();
        this.tree.deadline = start + slice;
        const done = this.isDone(looking);
        this.cost += performance.now() - start;
        if (!done) {
            setImmediate(() => this.continueLook());
            return;
        }
        this.finishLook(this.cost);
    }

    /** Continues a look. Returns whether it has ended; if it fails, the next one begins anew. */
    isDone(looking) {
        try {
            return looking.next().done;
        } catch (error) {
            if (!this.reported.has('look')) {
                this.reported.add('look');
                this.host.log('error', `can't check the brain for changes: ${error?.stack}`, null);
            }
            return true;
        }
    }

    /** Tells the robot everything that has changed until now. */
    flush() {
        if (this.loaded) {
            this.finishBegun();
            this.looking = this.look();
            this.finishBegun();
        }
    }

    finishLook(cost) {
        this.changes.write();
        this.looking = null;
        this.lastLook = performance.now();
        this.plan(Math.max(interval, cost * share));
    }

    look() {
        const { data } = this.brain;
        const isData = data !== null && typeof data === 'object';
        return this.tree.look(isData ? data : {}, (path, text) => this.changes.add(path, text));
    }

    refuse(path, problem) {
        const key = json.stringify(path).slice(0, 200);
        if (!this.reported.has(key) && this.reported.size < limits.brainReports) {
            this.reported.add(key);
            this.host.log('error', `can't store the new value of the brain's entry ${key}, so the old value stays: ${problem}`, null);
        }
    }
}

/** The changes that wait to be written, in messages of limited length. */
class Changes {
    /** @param {(entries: object[]) => void} write */
    constructor(write) {
        this.send = write;
        this.clear();
    }

    clear() {
        [this.present, this.gone, this.size] = [[], [], 0];
    }

    add(path, text) {
        const key = json.stringify(path);
        if (text === undefined) {
            this.gone.push({ key });
        } else {
            this.present.push({ key, value: json.parse(text) });
        }
        this.size += key.length + (text?.length ?? 0);
        if (this.size > limits.brainMessage) {
            this.write();
        }
    }

    write() {
        if (this.size > 0) {
            // What replaces something comes before what it replaces, so that nothing is lost if the robot ends in between.
            const entries = [...this.present, ...this.gone];
            this.clear();
            this.send(entries);
        }
    }
}

/** The path that a key means, or null. */
function pathOf(key) {
    try {
        const path = json.parse(key);
        return Array.isArray(path) && path.length > 0 && path.every((one) => typeof one === 'string') ? path : null;
    } catch {
        return null;
    }
}

/** Puts a value at a path. Returns whether that is possible: only objects have entries. */
function place(object, path, value) {
    let at = object;
    for (const key of path.slice(0, -1)) {
        if (!objects.hasOwn(at, key)) {
            define(at, key, {});
        }
        at = at[key];
        if (!isObject(at)) {
            return false;
        }
    }
    define(at, path[path.length - 1], value);
    return true;
}

/** Makes room for an entry: what lies on the way to it becomes an object. */
function makeObjects(object, path) {
    let at = object;
    for (const key of path.slice(0, -1)) {
        if (!objects.hasOwn(at, key) || !isObject(at[key])) {
            define(at, key, {});
        }
        at = at[key];
    }
}

/** Removes a property, but not an item of a list, which has taken the place of an object. */
function remove(object, path) {
    const at = valueAt(object, path.slice(0, -1));
    if (isObject(at)) {
        delete at[path[path.length - 1]];
    }
}

function valueAt(object, path) {
    return path.reduce((at, key) => (isObject(at) && objects.hasOwn(at, key) ? at[key] : undefined), object);
}

function isEmptyObject(value) {
    for (const key in value) {
        if (objects.hasOwn(value, key)) {
            return false;
        }
    }
    return isObject(value);
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Sets a property, also one that is named `__proto__`. */
function define(object, name, value) {
    objects.defineProperty(object, name, { __proto__: null, value, enumerable: true, writable: true, configurable: true });
}

module.exports = { BrainStore };
