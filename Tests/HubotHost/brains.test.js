'use strict';

// Two processes with the same brain, as after a reload: what one of them changes, the other one gets.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');

const sources = path.join(__dirname, '../../Sources/HubotHost/JavaScript');
const { BrainStore } = require(path.join(sources, 'brain-store'));
const Brain = require(path.join(sources, 'brain'));

const copy = (value) => JSON.parse(JSON.stringify(value));

/** A brain with its store, loaded with entries. */
function loaded(entries) {
    const written = [];
    const problems = [];
    const host = { write: (message) => written.push(copy(message.entries)), log: (_level, text) => problems.push(text) };
    const store = new BrainStore(host, new Brain({}));
    store.receive(copy(entries));
    store.begin();
    // The test decides when it looks.
    store.plan = () => {};
    clearTimeout(store.timer);
    return {
        store,
        problems,
        get data() { return store.brain.data; },
        /** What it tells the robot now. */
        changes() {
            store.flush();
            return written.splice(0);
        },
        /** Begins to look, and stops in the middle. */
        look() {
            store.looking ??= store.look();
            store.tree.deadline = 0;
            if (store.looking.next().done) {
                store.finishLook(0);
            }
        },
    };
}

/** Both get entries; one is changed, and the other one gets the changes. Returns the data of the other one. */
function passOn(entries, change) {
    const [one, other] = [loaded(entries), loaded(entries)];
    change(one.data, one.store.brain);
    one.changes().forEach((list) => other.store.receive(list));
    assert.deepStrictEqual(copy(other.data), copy(one.data));
    // It stores nothing on its own.
    assert.deepStrictEqual(other.changes(), []);
    return other;
}

test('an object that is divided replaces the whole', () => {
    assert.deepStrictEqual(passOn([{ key: '["karma"]', value: {} }], (data) => { data.karma.tea = 1; }).data.karma, { tea: 1 });
    const scores = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`user${index}`, index]));
    const other = passOn([{ key: '["_private","scores"]', value: scores }], (_data, brain) => {
        for (let index = 1000; index < 1400; index += 1) {
            brain.get('scores')[`user${index}`] = index;
        }
    });
    assert.strictEqual(Object.keys(other.store.brain.get('scores')).length, 1400);
});

test('a list takes the place of an object, and an object that of a list or a text', () => {
    const object = [{ key: '["q","0"]', value: 'a' }, { key: '["q","1"]', value: 'b' }];
    assert.deepStrictEqual(passOn(object, (data) => { data.q = ['x', 'y', 'z']; }).data.q, ['x', 'y', 'z']);
    assert.deepStrictEqual(passOn([{ key: '["q"]', value: [1] }], (data) => { data.q = { a: 1 }; }).data.q, { a: 1 });
    assert.deepStrictEqual(passOn([{ key: '["q","a"]', value: 'text' }], (data) => { data.q.a = { b: { c: 1 } }; }).data.q, { a: { b: { c: 1 } } });
});

test('an object that is removed with all it has leaves nothing; an empty one stays', () => {
    const entries = [{ key: '["karma","tea"]', value: 1 }, { key: '["_private","x"]', value: 1 }];
    assert.deepStrictEqual(copy(passOn(entries, (data) => { delete data.karma; delete data._private.x; }).data), { users: {}, _private: {} });
    assert.deepStrictEqual(passOn(entries, (data) => { delete data.karma.tea; }).data.karma, {});
});

test('what comes during a look is neither removed nor sent back', () => {
    const one = loaded([]);
    one.data.table = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, index]));
    one.data.list = { a: 1 };
    one.look();
    assert.notStrictEqual(one.store.looking, null);
    one.store.receive([{ key: '["table","new"]', value: 1 }, { key: '["list"]', value: [1] }, { key: '["list","a"]' }]);
    const sent = one.changes().flat().map(({ key }) => key);
    assert.strictEqual(sent.length, 101);
    assert.ok(!sent.includes('["table","new"]') && !sent.includes('["list"]'), String(sent));
    assert.deepStrictEqual([one.data.table.new, one.data.list], [1, [1]]);
});

test('a brain whose users were replaced by something else is loaded without it', () => {
    const one = loaded([{ key: '["users"]', value: 'none' }, { key: '["_private"]', value: [1] }, { key: '["a"]', value: 1 }]);
    assert.deepStrictEqual(copy(one.data), { users: {}, _private: {}, a: 1 });
    assert.deepStrictEqual(one.changes().flat(), [{ key: '["users"]' }, { key: '["_private"]' }]);
});

/** Numbers from 0 to 1, always the same ones for a seed (mulberry32). */
function numbers(seed) {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

/** Changes something in an object at random: values of all kinds, and tables that are divided. */
function change(random, object, depth = 0) {
    const pick = (items) => items[Math.floor(random() * items.length)];
    const key = pick(['a', 'b', '0', '1', 'length', '__proto__']);
    const define = (value) => Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
    const known = Object.hasOwn(object, key) ? object[key] : undefined;
    if (known !== null && typeof known === 'object' && random() < 0.6) {
        if (Array.isArray(known)) {
            known.push(Math.floor(random() * 10));
        } else {
            change(random, known, depth + 1);
        }
        return;
    }
    const table = (size, text) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, text]));
    switch (pick(['remove', 'remove', 'number', 'text', 'list', 'empty', 'object', 'table', 'long'])) {
    case 'remove': delete object[key]; break;
    case 'number': define(Math.floor(random() * 10)); break;
    case 'text': define('x'.repeat(Math.floor(random() * 5))); break;
    case 'list': define([1, { deep: [2] }]); break;
    case 'empty': define({}); break;
    case 'object': define({ a: { b: { a: 1 } } }); break;
    case 'table': define(table(40, 'v')); break;
    default: define(table(20, 'v'.repeat(1000)));
    }
}

test('random changes keep two brains, and what the robot stores, equal', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
        const random = numbers(seed);
        const entries = new Map();
        const list = () => [...entries].map(([key, value]) => ({ key, value }));
        const brains = [loaded([]), loaded([])];
        for (let round = 0; round < 25; round += 1) {
            const [one, other] = random() < 0.5 ? brains : [...brains].reverse();
            for (let index = 0; index < 3; index += 1) {
                change(random, random() < 0.4 ? one.data._private : one.data);
                if (random() < 0.3) {
                    one.look();
                }
            }
            if (random() < 0.3) {
                other.look();
            }
            for (const message of one.changes()) {
                message.forEach(({ key, value }) => (value === undefined ? entries.delete(key) : entries.set(key, value)));
                other.store.receive(copy(message));
            }
            const where = `seed ${seed}, round ${round}`;
            const expected = copy(one.data);
            assert.deepStrictEqual(copy(other.data), expected, `the other brain: ${where}`);
            assert.deepStrictEqual(other.changes(), [], `the other brain stores something: ${where}`);
            assert.deepStrictEqual(copy(loaded(list()).data), expected, `after a restart: ${where}`);
        }
        assert.deepStrictEqual(brains.flatMap(({ problems }) => problems), []);
    }
});
