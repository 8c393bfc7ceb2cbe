'use strict';

// The brain, which the robot keeps: it gives what it has, and gets what scripts change.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

/** The robot's copy of the brain, made from what the host has sent. */
function kept(host, first = []) {
    const entries = new Map(first.map(({ key, value }) => [key, value]));
    for (const { key, value } of host.of('brain').flatMap((message) => message.entries)) {
        if (value === undefined) {
            entries.delete(key);
        } else {
            entries.set(key, value);
        }
    }
    return entries;
}

/** A host whose brain the robot keeps, loaded with entries. */
async function remembering(t, source, entries = []) {
    const made = folder(t, { 'a.js': source });
    const host = new Driver();
    t.after(() => host.stop());
    await host.start([path.join(made, 'a.js')], { brain: true });
    // In several messages.
    for (const entry of entries) {
        host.write({ type: 'brain', entries: [entry], last: false });
    }
    host.write({ type: 'brain', entries: [], last: true });
    host.first = entries;
    host.do = async (code) => {
        await host.ask(host.listeners()[0], host.message(`do ${code}`));
        const results = host.of('send').filter(({ strings }) => strings[0].startsWith('= '));
        return results.length > 0 ? JSON.parse(results.at(-1).strings[0].slice(2)) : undefined;
    };
    /** Waits until the robot's copy is as expected. */
    host.keeps = async (key, value) => {
        const text = JSON.stringify(value);
        await host.next(() => JSON.stringify(kept(host, entries).get(key)) === text);
    };
    return host;
}

const anything = `module.exports = (robot) => {
    const { brain } = robot
    robot.hear(/^do ([^]*)$/, (res) => {
        const result = eval(res.match[1])
        res.send('= ' + JSON.stringify(result === undefined ? null : result))
    })
}`;

test('what scripts change anywhere in the brain reaches the robot, entry by entry', async (t) => {
    const host = await remembering(t, anything, [{ key: '["karma","tea"]', value: 4 }, { key: '["karma","milk"]', value: 1 }, { key: '["list"]', value: [1] }]);
    assert.deepStrictEqual(await host.do('[brain.data.karma, brain.data.list]'), [{ tea: 4, milk: 1 }, [1]]);
    await host.do('brain.data.karma.tea += 1');
    await host.keeps('["karma","tea"]', 5);
    // Only what has changed was sent, and the user who has spoken.
    const keys = host.of('brain').flatMap(({ entries }) => entries.map(({ key }) => key));
    assert.deepStrictEqual([...new Set(keys)].sort(), ['["karma","tea"]', '["users","ada"]']);
    await host.do('brain.data.list.push({ deep: [2] })');
    await host.keeps('["list"]', [1, { deep: [2] }]);
    await host.do('brain.data.list[1].deep.push(3)');
    await host.keeps('["list"]', [1, { deep: [2, 3] }]);
    await host.do('brain.set("a.b", { c: 1 }); brain.get("a.b").c = 2; brain.data.number = 7; brain.data.empty = {}');
    await host.keeps('["_private","a.b"]', { c: 2 });
    await host.keeps('["number"]', 7);
    await host.keeps('["empty"]', {});
    // An object takes the place of nothing, an array that of an object.
    await host.do('brain.data.empty.x = null; brain.data.empty.y = 1; brain.data.karma = ["none"]; brain.remove("a.b")');
    await host.keeps('["karma"]', ['none']);
    await host.keeps('["empty","y"]', 1);
    await host.keeps('["_private","a.b"]', undefined);
    await host.keeps('["users","ada"]', { id: 'ada', name: 'Ada', room: '#room' });
    assert.deepStrictEqual(Object.fromEntries(kept(host, host.first)), {
        '["list"]': [1, { deep: [2, 3] }], '["number"]': 7, '["empty","y"]': 1, '["karma"]': ['none'], '["users","ada"]': { id: 'ada', name: 'Ada', room: '#room' },
    });
    // In one message, what is new comes before what it replaces.
    const { entries } = host.of('brain').find((message) => message.entries.some(({ key }) => key === '["karma"]'));
    const removed = entries.map(({ value }) => value === undefined);
    assert.deepStrictEqual(removed, [...removed].sort());
});

test('a change in a timer is kept within a second, also if nothing else happens', async (t) => {
    const host = await remembering(t, `module.exports = (robot) => {
        robot.brain.on('loaded', () => { setInterval(() => { robot.brain.data.a.b = [Date.now()] }, 1500) })
    }`, [{ key: '["a","b"]', value: [0] }]);
    // On a busy machine, single ones take longer.
    const delays = [];
    await host.next(({ type, entries }) => {
        if (type === 'brain') {
            assert.strictEqual(entries[0].key, '["a","b"]');
            delays.push(Date.now() - entries[0].value[0]);
        }
        return Math.min(...delays) < 1000 || delays.length === 100;
    });
    assert.ok(Math.min(...delays) < 1000, String(delays));
});

test('nothing is sent before the brain is loaded, and stored entries win over those that scripts set while loading', async (t) => {
    const made = folder(t, {
        'a.js': `module.exports = (robot) => {
            robot.brain.data.karma = { tea: 0, coffee: 0 }
            robot.brain.data.mine = { a: 1 }
            robot.brain.save()
            robot.brain.on('loaded', (data) => console.log('loaded', JSON.stringify(data)))
        }`,
    });
    const host = new Driver();
    t.after(() => host.stop());
    await host.start([path.join(made, 'a.js')], { brain: true });
    host.write({ type: 'brain', entries: [{ key: '["karma","tea"]', value: 4 }, { key: '["karma"]', value: {} }, { key: 'no path', value: 1 }, { key: '["__proto__","x"]', value: 1 }] });
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong' });
    assert.deepStrictEqual(host.of('log').filter(({ text }) => text.startsWith('loaded')), []);
    assert.deepStrictEqual(host.of('brain'), []);
    host.write({ type: 'brain', entries: [], last: true });
    const { text } = await host.next(({ type, text: line }) => type === 'log' && line.startsWith('loaded'));
    assert.deepStrictEqual(JSON.parse(text.slice(7)), JSON.parse('{"users":{},"_private":{},"karma":{"tea":4},"mine":{"a":1},"__proto__":{"x":1}}'));
    // A key that had an entry of its own, and is now divided, loses the entry of its own.
    const { entries } = await host.next({ type: 'brain' });
    assert.deepStrictEqual(entries.sort((a, b) => (a.key < b.key ? -1 : 1)), [{ key: '["karma"]' }, { key: '["mine","a"]', value: 1 }].sort((a, b) => (a.key < b.key ? -1 : 1)));
    assert.ok(host.of('log').some(({ level, text: line }) => level === 'warning' && /isn't a list of names: no path/.test(line)));
});

test('what a script has changed since the last look is newer than what the robot says', async (t) => {
    const host = await remembering(t, `module.exports = (robot) => {
        robot.hear(/change/, (res) => {
            robot.brain.data.count = 3
            robot.brain.data.karma.tea = 5
            delete robot.brain.data.karma.milk
            res.send('changed')
        })
    }`, [{ key: '["count"]', value: 1 }, { key: '["karma","tea"]', value: 4 }, { key: '["karma","milk"]', value: 1 }, { key: '["other"]', value: 1 }]);
    const message = host.message('change');
    // Before the next look.
    host.ask(host.listeners()[0], message);
    await host.next({ type: 'send' });
    host.write({ type: 'brain', entries: [{ key: '["count"]', value: 2 }, { key: '["karma","tea"]' }, { key: '["karma","milk"]', value: 2 }, { key: '["other"]', value: 2 }] });
    await host.keeps('["count"]', 3);
    await host.keeps('["karma","tea"]', 5);
    await host.keeps('["karma","milk"]', undefined);
    assert.ok(!host.of('brain').some(({ entries }) => entries.some(({ key }) => key === '["other"]')));
});

test('an entry from the robot that replaces an object removes the entries of the object', async (t) => {
    const host = await remembering(t, anything, [{ key: '["karma","tea"]', value: 4 }, { key: '["karma","milk"]', value: 1 }]);
    host.write({ type: 'brain', entries: [{ key: '["karma"]', value: {} }] });
    assert.deepStrictEqual(await host.do('brain.data.karma'), {});
    await host.keeps('["karma","tea"]', undefined);
    await host.keeps('["karma","milk"]', undefined);
    assert.ok(!host.of('brain').some(({ entries }) => entries.some(({ key }) => key === '["karma"]')));
    host.write({ type: 'brain', entries: [{ key: '["karma"]', value: 3 }] });
    assert.strictEqual(await host.do('brain.data.karma'), 3);
});

test('what a script has made of an object is newer than an entry of the object from the robot', async (t) => {
    const host = await remembering(t, anything, [{ key: '["karma","tea"]', value: 4 }, { key: '["whole"]', value: [1] }]);
    // In one piece, so that both come before the next look.
    host.run += 1;
    const message = host.message('do brain.data.karma = 7; brain.data.whole.push(2)');
    host.write([
        { type: 'message', run: host.run, listener: host.listeners()[0].id, message },
        { type: 'brain', entries: [{ key: '["karma","tea"]', value: 5 }, { key: '["whole","x"]', value: 1 }] },
    ].map((one) => `${JSON.stringify(one)}\n`).join(''));
    await host.next({ type: 'result', run: host.run });
    await host.keeps('["karma"]', 7);
    await host.keeps('["karma","tea"]', undefined);
    await host.keeps('["whole"]', [1, 2]);
    assert.deepStrictEqual(await host.do('[brain.data.karma, brain.data.whole]'), [7, [1, 2]]);
});

test('what has changed is sent at once when the robot stops the host, and when its input ends', async (t) => {
    const source = `module.exports = (robot) => {
        robot.brain.on('save', () => { robot.brain.data.saved = true })
        robot.hear(/x/, () => { robot.brain.data.x = 1 })
    }`;
    for (const end of ['stop', 'input']) {
        const host = await remembering(t, source);
        host.write({ type: 'message', run: 1, listener: 1, message: host.message('x') });
        if (end === 'stop') {
            host.write({ type: 'stop' });
        } else {
            host.child.stdin.end();
        }
        assert.deepStrictEqual(await host.ended, { code: 0, signal: null });
        assert.strictEqual(kept(host).get('["x"]'), 1, end);
        assert.strictEqual(kept(host).get('["saved"]'), true, end);
    }
});

test('save sends what has changed soon; without auto save, only save does', async (t) => {
    const host = await remembering(t, anything);
    await host.do('brain.setAutoSave(false); brain.data.first = 1');
    await new Promise((resolve) => { setTimeout(resolve, 1200); });
    assert.strictEqual(kept(host).get('["first"]'), undefined);
    await host.do('brain.save()');
    await host.keeps('["first"]', 1);
    await host.do('brain.setAutoSave(true); brain.data.second = 2');
    await host.keeps('["second"]', 2);
});

test('values that JSON cannot represent, or that are too long, are named once and stay as they were', async (t) => {
    const host = await remembering(t, anything, [{ key: '["a","x"]', value: 'before' }, { key: '["a","y"]', value: 'before' }, { key: '["a","z"]', value: 1 }]);
    await host.do('brain.data.a.x = {}; brain.data.a.x.self = brain.data.a.x; brain.data.a.y = ["y".repeat(3 << 20)]; brain.data.a.z = 2; Object.defineProperty(brain.data, "bad", { enumerable: true, get() { throw new Error("no") } }); brain.data.f = () => {}; brain.data.map = new Map([[1, 2]])');
    await host.keeps('["a","z"]', 2);
    await host.do('brain.data.a.z = 3');
    await host.keeps('["a","z"]', 3);
    const errors = host.of('log').filter(({ level }) => level === 'error').map(({ text }) => text).sort();
    assert.match(errors[0], /entry \["a","x"\], so the old value stays: Converting circular/);
    assert.match(errors[1], /entry \["a","y"\], so the old value stays: it has 3145732 characters as JSON; the maximum is 2097152/);
    assert.match(errors[2], /entry \["bad"\], so the old value stays/);
    assert.strictEqual(errors.length, 3);
    assert.deepStrictEqual([kept(host, host.first).get('["a","x"]'), kept(host, host.first).get('["a","y"]'), kept(host).get('["f"]')], ['before', 'before', undefined]);
});

test('a large object is divided into entries of its own, and stays so', async (t) => {
    const host = await remembering(t, anything);
    await host.do('brain.set("table", Object.fromEntries(Array.from({ length: 2000 }, (_, i) => ["key" + i, { value: i }])))');
    await host.keeps('["_private","table","key1999"]', { value: 1999 });
    const before = host.of('brain').length;
    await host.do('brain.get("table").key7.value = "seven"; delete brain.get("table").key8');
    await host.keeps('["_private","table","key7"]', { value: 'seven' });
    await host.keeps('["_private","table","key8"]', undefined);
    const sent = host.of('brain').slice(before).flatMap(({ entries }) => entries.map(({ key }) => key));
    assert.deepStrictEqual(sent.filter((key) => key.includes('table')), ['["_private","table","key7"]', '["_private","table","key8"]']);
    // The next process gets the same object, and sends nothing.
    const entries = [...kept(host)].map(([key, value]) => ({ key, value }));
    const next = await remembering(t, anything, entries);
    assert.strictEqual(await next.do('Object.keys(brain.get("table")).length'), 1999);
    await next.do('brain.data.mark = 1');
    await next.keeps('["mark"]', 1);
    assert.deepStrictEqual(next.of('brain').flatMap((message) => message.entries), [{ key: '["mark"]', value: 1 }]);
    // Small again, or something else: no entry is left behind.
    await next.do('brain.set("table", 1)');
    await next.keeps('["_private","table"]', 1);
    await next.next(() => [...kept(next, entries).keys()].every((key) => !key.startsWith('["_private","table",')));
});

test('a message with changes is never much longer than 1 MiB', async (t) => {
    const host = await remembering(t, anything);
    await host.do('for (let i = 0; i < 100; i += 1) brain.set("k" + i, "v".repeat(50000)); 0');
    await host.keeps('["_private","k99"]', 'v'.repeat(50000));
    const lengths = host.of('brain').map((message) => JSON.stringify(message).length);
    assert.ok(Math.max(...lengths) < (1 << 20) + 100000, String(lengths));
    assert.ok(lengths.length >= 5, String(lengths));
});

test('users are users again, with what scripts have stored in them, and the ones that the robot knows are no change', async (t) => {
    const host = await remembering(t, `const { User } = require('hubot')\n${anything}`, [
        { key: '["users","b"]', value: { color: 'red', id: 'b', name: 'Bob', room: '#x' } }, { key: '["users","c"]', value: { id: 'c' } },
    ]);
    host.write({ type: 'users', users: [{ id: 'd', name: 'Dora', adapter: 'irc' }, { id: 'b', name: 'Bob', adapter: 'irc' }] });
    const found = await host.do('[brain.userForName("bob").color, brain.userForId("b") instanceof User, brain.userForId("c").name, brain.userForName("Dora").id, brain.userForId("b") === brain.users().b]');
    assert.deepStrictEqual(found, ['red', true, 'c', 'd', true]);
    await host.keeps('["users","ada"]', { id: 'ada', name: 'Ada', room: '#room' });
    assert.deepStrictEqual(host.of('brain').flatMap(({ entries }) => entries.map(({ key }) => key)), ['["users","ada"]']);
    await host.do('brain.userForId("d").roles = ["cook"]');
    await host.keeps('["users","d"]', { id: 'd', name: 'Dora', adapter: 'irc', roles: ['cook'] });
});

test('an entry that comes after the load replaces the value, and is not sent back', async (t) => {
    const host = await remembering(t, anything, [{ key: '["karma","tea"]', value: 1 }]);
    await host.do('global.table = brain.data.karma');
    host.write({ type: 'brain', entries: [{ key: '["karma","tea"]', value: 9 }, { key: '["karma","milk"]', value: 2 }, { key: '["users","e"]', value: { id: 'e', name: 'Eve' } }] });
    assert.deepStrictEqual(await host.do('[global.table, brain.userForName("eve").id]'), [{ tea: 9, milk: 2 }, 'e']);
    host.write({ type: 'brain', entries: [{ key: '["karma","tea"]' }, { key: '["none","x"]' }] });
    assert.deepStrictEqual(await host.do('brain.data.karma'), { milk: 2 });
    await host.do('brain.data.mark = 1');
    await host.keeps('["mark"]', 1);
    assert.deepStrictEqual([...kept(host).keys()].sort(), ['["mark"]', '["users","ada"]']);
});

test('without a robot that keeps it, the brain lives as long as the process', async (t) => {
    const host = await hostWith(t, { 'a.js': anything });
    await host.next({ type: 'log', text: "the Hubot scripts' brain is kept in memory only, and is empty after a restart" });
    host.write({ type: 'brain', entries: [], last: true });
    await host.next(({ type, text }) => type === 'log' && /start had no field brain/.test(text));
    assert.deepStrictEqual(host.of('brain'), []);
});
