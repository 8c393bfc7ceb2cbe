'use strict';

const callableWithoutNew = require('./callable-without-new');
const { DataStoreUnavailable } = require('./abstract-datastore');

/** A user, with the properties that its network and scripts gave it. */
class User {
    /**
     * @param {string} id
     * @param {object} [options] properties; `robot` isn't copied but used for `get` and `set`
     */
    constructor(id, options = {}) {
        this.id = id;
        const { robot, ...properties } = options ?? {};
        // Not enumerable, so that the robot doesn't get into the brain.
        Object.defineProperty(this, '_getRobot', { value: () => robot, configurable: true, writable: true });
        Object.assign(this, properties);
        if (!this.name) {
            this.name = String(this.id);
        }
    }

    /** Stores a value of this user in the robot's data store. */
    set(key, value) {
        return this._store()._set(`${this.id}+${key}`, value, 'users');
    }

    /** A value of this user in the robot's data store. */
    get(key) {
        return this._store()._get(`${this.id}+${key}`, 'users');
    }

    _store() {
        const store = this._getRobot()?.datastore;
        if (!store) {
            throw new DataStoreUnavailable('datastore is not initialized');
        }
        return store;
    }
}

module.exports = callableWithoutNew(User);
