'use strict';

const { DataStore, DataStoreUnavailable } = require('./abstract-datastore');
const { isTooDeep } = require('./json-depth');
const limits = require('./limits');

/** `robot.datastore`, which the robot keeps: each operation is one request, so it can't mix with another one. */
class RobotDataStore extends DataStore {
    constructor(robot) {
        super(robot);
        Object.defineProperty(this, 'robot', { enumerable: false });
    }

    async _set(key, value, table) {
        return this._ask('set', key, table, { value: valueOf(key, value) });
    }

    async _get(key, table) {
        return this._ask('get', key, table, {});
    }

    /** Sets a key of the object that is stored. */
    async setObject(key, objectKey, value) {
        return this._ask('setObject', key, 'global', { objectKey: String(objectKey), value: valueOf(key, value) });
    }

    /** Appends a value, or the values of an array. */
    async setArray(key, value) {
        return this._ask('append', key, 'global', { value: [].concat(valueOf(key, value) ?? null) });
    }

    async _ask(operation, key, table, fields) {
        const text = String(key);
        if (text.length > limits.storeKey) {
            throw new DataStoreUnavailable(`a key of the data store has ${text.length} characters; the maximum is ${limits.storeKey}`);
        }
        return this.robot._host.outgoing.request({ type: 'datastore', operation, table, key: text, ...fields });
    }
}

/** A value as JSON has it; undefined if there is nothing to store. */
function valueOf(key, value) {
    const text = JSON.stringify(value);
    if (text?.length > limits.brainValue) {
        throw new DataStoreUnavailable(`a value of the data store has ${text.length} characters as JSON; the maximum is ${limits.brainValue}`);
    }
    if (text !== undefined && isTooDeep(text)) {
        const name = String(key).slice(0, limits.storeKey);
        throw new DataStoreUnavailable(`the value of ${name} in the data store has more than ${limits.levels} levels of nested lists and objects`);
    }
    return text === undefined ? undefined : JSON.parse(text);
}

module.exports = { RobotDataStore };
