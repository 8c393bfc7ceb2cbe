'use strict';

// robot.datastore, which the robot keeps.

const assert = require('node:assert');
const { test } = require('node:test');
const { hostWith } = require('./driver');

/** A host, and a robot that does what the protocol says about the data store. */
async function storing(t, source) {
    const host = await hostWith(t, { 'a.js': source }, { datastore: true });
    const values = new Map();
    host.values = values;
    host.take = ((take) => (line) => {
        take.call(host, line);
        const { type, request, operation, table, key, objectKey, value } = JSON.parse(line);
        if (type !== 'datastore') {
            return;
        }
        const name = `${table}/${key}`;
        let result;
        switch (operation) {
        case 'set': value === undefined ? values.delete(name) : values.set(name, value); break;
        case 'setObject': values.set(name, { ...values.get(name), [objectKey]: value }); break;
        case 'append': values.set(name, [...(values.get(name) ?? []), ...value]); break;
        default: result = values.get(name);
        }
        host.write({ type: 'response', request, value: result, error: key === 'broken' ? 'the brain is broken' : undefined });
    })(host.take);
    return host;
}

test('values, objects, arrays and those of users', async (t) => {
    const host = await storing(t, `const { DataStore } = require('hubot')
    module.exports = (robot) => {
        robot.hear(/go/, async (res) => {
            const store = robot.datastore
            await store.set('a', { x: [1] })
            const all = await Promise.all(Array.from({ length: 50 }, (_, i) => Promise.all([store.setArray('list', i), store.setObject('object', 'k' + i, i)])))
            await store.setArray('list', ['x', 'y'])
            await res.message.user.set('color', 'red')
            const values = [
                store instanceof DataStore, await store.get('a'), (await store.get('list')).length, Object.keys(await store.get('object')).length, await store.getObject('object', 'k7'),
                await store.getObject('none', 'x'), await store.get('none'), await res.message.user.get('color'), await res.message.user.get('size'),
            ].map((value) => value === undefined ? 'undefined' : value)
            await store.set('a')
            try { await store.get('broken') } catch (error) { values.push(error.message) }
            try { await store.set('big', 'x'.repeat(3 << 20)) } catch (error) { values.push(error.message) }
            try { await store.get('k'.repeat(2000)) } catch (error) { values.push(error.message) }
            await res.send(JSON.stringify(values))
        })
    }`);
    const [[, text]] = await host.hear('go');
    assert.deepStrictEqual(JSON.parse(text), [
        true, { x: [1] }, 52, 50, 7, 'undefined', 'undefined', 'red', 'undefined', 'the brain is broken',
        'a value of the data store has 3145730 characters as JSON; the maximum is 2097152', 'a key of the data store has 2000 characters; the maximum is 1000',
    ]);
    assert.deepStrictEqual([host.values.has('global/a'), host.values.get('users/ada+color'), host.values.get('global/list').slice(-2)], [false, 'red', ['x', 'y']]);
});

test('without a robot that keeps it, there is none', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/go/, (res) => res.send(String(robot.datastore))) }' });
    assert.deepStrictEqual(await host.hear('go'), [['send', 'null']]);
});
