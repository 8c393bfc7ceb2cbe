'use strict';

const callableWithoutNew = require('./callable-without-new');
const context = require('./context');
const { ScriptEvents } = require('./script-events');
const User = require('./user');

/** What scripts remember. `BrainStore` tells the robot what changes in it. */
class Brain extends ScriptEvents {
    constructor(robot) {
        super();
        this.data = { users: {}, _private: {} };
        this.autoSave = true;
        this.setMaxListeners(0);
        Object.defineProperty(this, 'getRobot', { value: () => robot, configurable: true, writable: true });
        Object.defineProperty(this, 'saveInterval', { value: null, configurable: true, writable: true });
        // Nobody needs the timer until a script wants to save.
        this.on('newListener', (event) => {
            if (event === 'save' && this.saveInterval === null) {
                this.resetSaveInterval(5);
            }
        });
    }

    /** Remembers a value, or all values of an object. */
    set(key, value) {
        Object.assign(this.data._private, key === Object(key) ? key : { [key]: value });
        this._tellLoaded();
        return this;
    }

    /** A value, or null. */
    get(key) {
        return this.data._private[key] ?? null;
    }

    /** Forgets a value. */
    remove(key) {
        delete this.data._private[key];
        return this;
    }

    save() {
        this.emit('save', this.data);
    }

    close() {
        clearInterval(this.saveInterval);
        this.save();
        this.emit('close');
    }

    setAutoSave(enabled) {
        this.autoSave = enabled;
    }

    resetSaveInterval(seconds) {
        clearInterval(this.saveInterval);
        this.saveInterval = setInterval(() => {
            if (this.autoSave) {
                this.save();
            }
        }, seconds * 1000);
        this.saveInterval.unref();
    }

    /** Replaces top-level entries. */
    mergeData(data) {
        this._merge(data);
        this._tellLoaded();
    }

    /** What the handlers begin, such as timers, belongs to nobody's message, whenever they are called. */
    _tellLoaded() {
        context.run({ script: context.script() }, () => this.emit('loaded', this.data));
    }

    _merge(data) {
        for (const [key, value] of Object.entries(data ?? {})) {
            define(this.data, key, value);
        }
        for (const [id, user] of Object.entries(data?.users ?? {})) {
            if (user && !(user instanceof User)) {
                define(this.data.users, id, this._user(id, user));
            }
        }
    }

    /** A user with the properties that were stored. */
    _user(id, properties) {
        return new User(properties.id ?? id, { ...properties, robot: this.getRobot() });
    }

    users() {
        return this.data.users;
    }

    /**
     * The user with an id, which is made if it doesn't exist. In another room it is a new object, so that earlier messages
     * keep their room; what scripts have stored in the user is kept.
     */
    userForId(id, options) {
        const { robot: _robot, ...properties } = options ?? {};
        const users = this.data.users;
        const known = Object.hasOwn(users, id) ? users[id] : undefined;
        if (known && (!properties.room || known.room === properties.room)) {
            return known;
        }
        const user = new User(id, { ...known, ...properties, robot: this.getRobot() });
        user.id = id;
        define(users, id, user);
        return user;
    }

    userForName(name) {
        const wanted = String(name).toLowerCase();
        let found = null;
        for (const user of Object.values(this.data.users ?? {})) {
            if (user?.name != null && String(user.name).toLowerCase() === wanted) {
                found = user;
            }
        }
        return found;
    }

    /** All users whose names start with a text. */
    usersForRawFuzzyName(name) {
        const wanted = String(name).toLowerCase();
        return Object.values(this.data.users ?? {}).filter((user) => String(user?.name).toLowerCase().startsWith(wanted));
    }

    /** The users with exactly this name, or all whose names start with it. */
    usersForFuzzyName(name) {
        const wanted = String(name).toLowerCase();
        const starting = this.usersForRawFuzzyName(name);
        const exact = starting.filter((user) => String(user.name).toLowerCase() === wanted);
        return exact.length > 0 ? exact : starting;
    }
}

/** Sets a property. Not by assignment, since an id could be `__proto__`. */
function define(object, name, value) {
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

module.exports = callableWithoutNew(Brain);
