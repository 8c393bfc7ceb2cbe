'use strict';

// One process takes over from another one.

const assert = require('node:assert');
const http = require('http');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

test('a retired host finishes what was begun, starts nothing, saves, and ends', async (t) => {
    const server = http.createServer((request, response) => setTimeout(() => response.end('slow'), 300));
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    t.after(() => server.close());
    const made = folder(t, {
        'a.js': `const { setInterval: other } = require('timers')
        module.exports = (robot) => {
            let ticks = 0
            setInterval(() => { ticks += 1; robot.messageRoom('#room', 'tick') }, 5)
            other(() => robot.messageRoom('#room', 'tock'), 5)
            const promised = async () => {
                for await (const _ of require('timers/promises').setInterval(5, null, { ref: false })) { robot.messageRoom('#room', 'promised') }
            }
            promised()
            setTimeout(() => robot.messageRoom('#room', 'late'), 400)
            robot.brain.on('loaded', () => { setInterval(() => robot.messageRoom('#room', 'tick 2'), 5) })
            robot.hear(/promise/, async (res) => {
                await new Promise((resolve) => setTimeout(resolve, 300))
                await res.send('after the promise')
                robot.brain.data.last = { value: 1 }
            })
            robot.hear(/callback/, (res) => { robot.http(process.env.URL).get()((err, response, body) => { res.send('got ' + body) }) })
            robot.hear(/timer/, (res) => { setTimeout(() => robot.messageRoom('#other', 'in a timer'), 200) })
            robot.router.post('/hook', (req, res) => { setTimeout(() => { robot.messageRoom('#hook', 'hooked'); res.send('ok') }, 200) })
            robot.hear(/soon/, (res) => { robot.brain.set('soon', true) })
            robot.brain.on('save', () => { robot.brain.data.saved = true })
        }`,
    });
    const host = new Driver({ env: { URL: `http://127.0.0.1:${server.address().port}` } });
    t.after(() => host.stop());
    await host.start([path.join(made, 'a.js')], { brain: true, web: true });
    host.write({ type: 'brain', entries: [], last: true });
    await host.next(({ type, strings }) => type === 'send' && strings[0] === 'tick 2');
    for (const text of ['promise', 'callback', 'timer', 'soon']) {
        const message = host.message(text);
        const listener = host.listeners()[['promise', 'callback', 'timer', 'soon'].indexOf(text)];
        await host.ask(listener, message);
        host.write({ type: 'end', number: message.number });
    }
    host.write({ type: 'webRequest', id: 1, method: 'POST', url: '/hook', headers: [['Host', 'x']], last: true });
    // A message that the robot is still asking about.
    const open = host.message('soon');
    await host.ask(host.listeners()[3], open);
    host.write({ type: 'retire' });
    await host.next({ type: 'retired' });
    const at = host.received.findIndex(({ type }) => type === 'retired');
    // What has changed until now comes before.
    assert.ok(host.received.slice(0, at).some(({ type, entries }) => type === 'brain' && entries.some(({ key }) => key === '["_private","soon"]')));
    await host.next(({ type, strings }) => type === 'send' && strings[0] === 'got slow');
    await host.next(({ type }) => type === 'webResponse');
    // It goes on with that message, and ends when the robot has ended it.
    assert.strictEqual((await host.ask(host.listeners()[2], { ...open, text: 'timer' })).matched, true);
    await host.next(() => host.received.filter(({ type, strings }) => type === 'send' && strings[0] === 'in a timer').length === 2);
    host.write({ type: 'end', number: open.number });
    assert.deepStrictEqual(await host.ended, { code: 0, signal: null });
    // Usually all this comes after it has retired. On a busy machine, some of it is over before.
    const begun = ['after the promise', 'got slow', 'hooked', 'in a timer', 'in a timer'];
    const texts = (messages) => messages.filter(({ type }) => type === 'send').map(({ strings }) => strings[0]);
    assert.deepStrictEqual(texts(host.received).filter((text) => begun.includes(text)).sort(), begun);
    assert.deepStrictEqual(texts(host.received.slice(at)).filter((text) => !begun.includes(text)), []);
    const keys = (messages) => messages.filter(({ type }) => type === 'brain').flatMap(({ entries }) => entries.map(({ key }) => key));
    const saved = ['["last","value"]', '["saved"]'];
    assert.deepStrictEqual([...new Set(keys(host.received))].filter((key) => saved.includes(key)).sort(), saved);
    assert.deepStrictEqual(keys(host.received.slice(at)).filter((key) => !saved.includes(key)), []);
});

test('a retired host waits for answers of the robot, and without work it ends at once', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            setInterval(() => {}, 1000000)
            robot.hear(/two/, async (res) => { await res.send('one'); await res.send('two') })
        }`,
    });
    host.answers = false;
    const message = host.message('two');
    await host.ask(host.listeners()[0], message);
    host.write({ type: 'end', number: message.number });
    host.write({ type: 'retire' });
    await host.next({ type: 'retired' });
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong' });
    host.write({ type: 'response', request: host.of('send')[0].request });
    const second = await host.next(({ type, strings }) => type === 'send' && strings[0] === 'two');
    host.write({ type: 'response', request: second.request });
    assert.deepStrictEqual(await host.ended, { code: 0, signal: null });
    await host.next({ type: 'ended', run: 1 });
    const idle = await hostWith(t, { 'a.js': 'module.exports = (robot) => { setInterval(() => {}, 1000); require("net").createServer().listen(0).unref() }' }, { busyTime: 1000 });
    idle.write({ type: 'retire' });
    assert.deepStrictEqual(await idle.ended, { code: 0, signal: null });
});

test('a retired host that has work without an end is stopped by the robot', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { require("net").createServer().listen(0); robot.brain.on("close", () => console.log("closed")) }' });
    host.write({ type: 'retire' });
    await host.next({ type: 'retired' });
    host.write({ type: 'stop' });
    assert.deepStrictEqual(await host.ended, { code: 0, signal: null });
    assert.strictEqual(host.of('log').at(-1).text, 'closed');
});

test('during a conversation with reloads, each command is answered once, and the brain counts them all', async (t) => {
    const made = folder(t, {
        'a.js': `module.exports = (robot) => {
            robot.brain.data.count = 0
            robot.hear(/^now (\\d+)$/, (res) => { robot.brain.data.count += 1; res.send('now ' + res.match[1]) })
            robot.hear(/^later (\\d+)$/, async (res) => {
                robot.brain.data.count += 1
                await new Promise((resolve) => setTimeout(resolve, 20))
                await res.send('later ' + res.match[1])
            })
        }`,
    });
    // The robot's part.
    const store = new Map();
    const all = [];
    const start = async () => {
        const host = new Driver();
        t.after(() => host.stop());
        host.position = 0;
        await host.start([path.join(made, 'a.js')], { brain: true });
        all.push(host);
        return host;
    };
    const keep = (host) => {
        for (const message of host.received.slice(host.position)) {
            message.entries?.forEach(({ key, value }) => (value === undefined ? store.delete(key) : store.set(key, value)));
        }
        host.position = host.received.length;
    };
    const load = (host) => {
        host.write({ type: 'brain', entries: [...store].map(([key, value]) => ({ key, value })), last: true });
    };
    const say = async (host, text) => {
        const message = host.message(text);
        for (const listener of host.listeners()) {
            await host.ask(listener, message);
        }
        host.write({ type: 'end', number: message.number });
    };
    let host = await start();
    load(host);
    const [reloads, commands] = [10, 40];
    let said = 0;
    for (let round = 0; round <= reloads; round += 1) {
        const next = round < reloads ? start() : null;
        for (let index = 0; index < commands; index += 1) {
            await say(host, `${said % 2 === 0 ? 'now' : 'later'} ${said}`);
            said += 1;
        }
        if (next) {
            const other = await next;
            host.write({ type: 'retire' });
            await host.next({ type: 'retired' });
            keep(host);
            load(other);
            host = other;
        }
    }
    host.write({ type: 'retire' });
    assert.strictEqual((await host.ended).code, 0);
    keep(host);
    await Promise.all(all.map(({ ended }) => ended));
    assert.strictEqual(store.get('["count"]'), said);
    const answers = all.flatMap((one) => one.of('send').map(({ strings }) => strings[0]));
    assert.deepStrictEqual(answers.sort(), Array.from({ length: said }, (_, index) => `${index % 2 === 0 ? 'now' : 'later'} ${index}`).sort());
});
