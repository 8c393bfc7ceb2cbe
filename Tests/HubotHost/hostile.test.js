'use strict';

// Values, texts, lines and web requests that are too large or too deep: each gets an answer, and nothing else suffers.

const assert = require('node:assert');
const { test } = require('node:test');
const { hostWith } = require('./driver');

/** A list in a list in a list … */
const nested = 'const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels))\n';

/** The robot reads nothing that is longer or deeper than this. */
function assertReadable(host) {
    const depth = (value) => (value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0);
    for (const message of host.received) {
        assert.ok(Buffer.byteLength(JSON.stringify(message)) < 16 << 20, message.type);
        assert.ok(depth(message) < 300, message.type);
    }
    assert.deepStrictEqual(host.badLines, []);
}

test('a value of the brain that is too deep is refused, and the others are stored', async (t) => {
    const host = await hostWith(t, {
        'a.js': `${nested}module.exports = (robot) => {
            robot.brain.data.karma = { tea: 1 }
            robot.hear(/go/, () => { Object.assign(robot.brain.data.karma, { deep: nested(600), tea: 2, allowed: nested(200), brackets: '['.repeat(900) }) })
            robot.router.post('/keep', (req, res) => { robot.brain.data.karma.posted = req.body; robot.brain.data.karma.coffee = 3; robot.brain.save(); res.send('kept') })
        }`,
    }, { brain: true, web: true });
    host.write({ type: 'brain', entries: [], last: true });
    await host.hear('go');
    const entries = () => Object.fromEntries(host.of('brain').flatMap((message) => message.entries).map(({ key, value }) => [JSON.parse(key)[1], value]));
    await host.next(() => entries().tea === 2);
    assert.strictEqual(entries().brackets, '['.repeat(900));
    assert.ok('allowed' in entries() && !('deep' in entries()));
    const { level, script } = await host.next({ type: 'log', text: 'can\'t store the new value of the brain\'s entry ["karma","deep"], so the old value stays: it has more than 200 levels of nested lists and objects' });
    assert.deepStrictEqual([level, script], ['error', undefined]);
    const body = Buffer.from(`${'['.repeat(600)}${']'.repeat(600)}`);
    host.write({
        type: 'webRequest', id: 1, method: 'POST', url: '/keep', headers: [['Host', 'x'], ['Content-Type', 'application/json'], ['Content-Length', String(body.length)]],
        body: body.toString('base64'),
    });
    assert.strictEqual((await host.next({ type: 'webResponse', id: 1 })).status, 200);
    await host.next(() => entries().coffee === 3);
    await host.next(({ type, text }) => type === 'log' && /entry \["karma","posted"\], so the old value stays: it has more than 200/.test(text));
    assertReadable(host);
});

test('a value of the data store that is too deep is refused, and so are the options of a listener', async (t) => {
    const host = await hostWith(t, {
        'a.js': `${nested}module.exports = (robot) => {
            robot.hear(/go/, { id: 'go', deep: nested(600) }, async (res) => {
                for (const store of [() => robot.datastore.set('a key', nested(600)), () => robot.datastore.setArray('a key', nested(300)), () => robot.datastore.setObject('a key', 'x', nested(201))]) {
                    try { await store(); res.send('stored') } catch (error) { res.send(error.message) }
                }
                await robot.datastore.set('b', nested(200))
                res.send('allowed')
            })
        }`,
    }, { datastore: true });
    assert.deepStrictEqual(host.listeners()[0].options, { id: 'go' });
    host.write({ type: 'message', run: 1, listener: 1, message: host.message('go') });
    const { request } = await host.next({ type: 'datastore', key: 'b' });
    host.write({ type: 'response', request });
    await host.next(({ type, strings }) => type === 'send' && strings[0] === 'allowed');
    const problem = 'the value of a key in the data store has more than 200 levels of nested lists and objects';
    assert.deepStrictEqual(host.of('send').map(({ strings }) => strings[0]), [problem, problem, problem, 'allowed']);
    assertReadable(host);
});

test('many long texts in one send, and of response middleware', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.responseMiddleware((context, next, done) => { if (context.strings[0] === 'more') { context.strings = Array.from({ length: 200 }, () => '\\0'.repeat(100000)) } next() })
            robot.hear(/long/, async (res) => { await res.send(...Array.from({ length: 200 }, () => '日'.repeat(100000))); await res.send('sent') })
            robot.hear(/many/, async (res) => { await res.send(...Array.from({ length: 1500 }, (_, index) => index)) })
        }`,
    });
    const [[, ...long], last] = await host.hear('long');
    assert.deepStrictEqual([long.length, long.every((text) => text.length === 100000), last], [41, true, ['send', 'sent']]);
    await host.next({ type: 'log', level: 'warning', text: 'only the first 41 of 200 texts are sent: at most 1000 texts with a total of 4194304 characters as JSON can be sent at once' });
    assert.strictEqual((await host.hear('many'))[0].length, 1001);
    host.write({ type: 'middleware', run: 50, kind: 'response', message: host.message('x'), method: 'send', strings: ['more'] });
    assert.strictEqual((await host.next({ type: 'result', run: 50 })).strings.length, 6);
    assertReadable(host);
});

test('a long value of the data store, and a long entry of the brain, reach the scripts', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.brain.on('loaded', (data) => robot.logger.info('quotes: ' + data.quotes.length))
            robot.hear(/get/, async (res) => res.send(String((await robot.datastore.get('list')).length)))
        }`,
    }, { brain: true, datastore: true });
    const list = Array.from({ length: 150 }, () => 'x'.repeat(100000));
    host.write({ type: 'brain', entries: [{ key: '["quotes"]', value: list }], last: true });
    await host.next({ type: 'log', text: 'quotes: 150' });
    host.write({ type: 'message', run: 1, listener: 1, message: host.message('get') });
    const { request } = await host.next({ type: 'datastore' });
    host.write({ type: 'response', request, value: list });
    assert.deepStrictEqual((await host.next({ type: 'send' })).strings, ['150']);
});

test('long headers and broken requests are answered, however many there are', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.router.all('/x', (req, res) => res.send('ok ' + (req.headers['x-long'] ?? '').length))
            robot.router.get('/cookies', (req, res) => { for (let index = 0; index < 50; index += 1) { res.cookie('c' + index, 'v'.repeat(1000)) } res.send('ok') })
        }`,
    }, { web: true });
    let id = 0;
    const ask = async (url, headers = [], fields = {}) => {
        id += 1;
        const current = id;
        host.write({ type: 'webRequest', id: current, method: 'GET', url, headers: [['Host', 'x'], ...headers], ...fields });
        const { status, body } = await host.next({ type: 'webResponse', id: current });
        return [status, Buffer.from(body ?? '', 'base64').toString()];
    };
    for (const size of [15, 17, 79, 120]) {
        assert.deepStrictEqual(await ask('/x', [['X-Long', 'a'.repeat(size << 10)]]), [200, `ok ${size << 10}`]);
    }
    assert.strictEqual((await ask(`/x?${'a'.repeat(17 << 10)}`))[0], 200);
    assert.strictEqual((await ask('/cookies'))[0], 200);
    assert.strictEqual((await ask('/x', [['X-Long', 'a'.repeat(140 << 10)]]))[0], 431);
    // Node's server refuses what the robot's server has let through: two different lengths, a body that isn't chunked.
    assert.strictEqual((await ask('/x', [['Transfer-Encoding', 'chunked'], ['Content-Length', '5'], ['content-length', '7']], { method: 'POST', body: 'aGVsbG8=', last: true }))[0], 200);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask('/x', [['X-Long', 'a'.repeat(index % 2 === 0 ? 20 << 10 : 140 << 10)]])));
    const count = (status) => answers.filter(([one]) => one === status).length;
    assert.deepStrictEqual(count(200) + count(431) + count(503), 200);
    assert.deepStrictEqual(await ask('/x'), [200, 'ok 0']);
});

test('a brain whose values throw is stored all the same, but for these', async (t) => {
    const host = await hostWith(t, { 'a.js': `module.exports = (robot) => {
        robot.respond(/break$/, () => {
            const { data } = robot.brain;
            data.first = new Proxy({ a: 1 }, { ownKeys() { throw new Error('no keys') } });
            data.second = { get toJSON() { throw new Error('no JSON') } };
            data.third = { x: 1 };
        });
    }` }, { brain: true });
    host.write({ type: 'brain', entries: [], last: true });
    await host.hear('Hubot break');
    const { entries } = await host.next({ type: 'brain' });
    assert.deepStrictEqual(entries.filter(({ key }) => !key.includes('users')), [{ key: '["third","x"]', value: 1 }]);
    await host.next((message) => message.type === 'log' && message.level === 'error' && /can't store the new value of the brain's entry \["first"\]/.test(message.text));
});
