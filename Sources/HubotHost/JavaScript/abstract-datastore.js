'use strict';

const callableWithoutNew = require('./callable-without-new');

/** The error of a data store that can't store. */
class DataStoreUnavailable extends Error {}

/** The base of data stores that scripts write: a subclass has `_set` and `_get`. */
class DataStore {
    constructor(robot) {
        this.robot = robot;
    }

    set(key, value) {
        return this._set(key, value, 'global');
    }

    get(key) {
        return this._get(key, 'global');
    }

    async setObject(key, objectKey, value) {
        const object = (await this.get(key)) ?? {};
        object[objectKey] = value;
        return this.set(key, object);
    }

    async getObject(key, objectKey) {
        return ((await this.get(key)) ?? {})[objectKey];
    }

    /** Appends a value, or the values of an array. */
    async setArray(key, value) {
        return this.set(key, ((await this.get(key)) ?? []).concat(value));
    }

    _set(_key, _value, _table) {
        throw new DataStoreUnavailable('Setter called on the abstract class.');
    }

    _get(_key, _table) {
        throw new DataStoreUnavailable('Getter called on the abstract class.');
    }
}

module.exports = { DataStore: callableWithoutNew(DataStore), DataStoreUnavailable: callableWithoutNew(DataStoreUnavailable) };
