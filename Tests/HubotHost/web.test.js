'use strict';

// robot.router: requests that the robot's web server has got, and the answers of scripts.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { hostWith, hostRunning, folder } = require('./driver');

let number = 0;

/** Sends a request in one message. Returns the answer when it is complete. */
async function ask(host, method, url, { headers = {}, body, client, disabled } = {}) {
    number += 1;
    const id = number;
    const fields = [['Host', 'bot.example'], ...Object.entries(headers)];
    if (body !== undefined) {
        fields.push(['Content-Length', String(Buffer.byteLength(body))]);
    }
    host.write({ type: 'webRequest', id, method, url, headers: fields, client, disabled, body: body === undefined ? undefined : Buffer.from(body).toString('base64'), last: true });
    return answer(host, id);
}

async function answer(host, id) {
    const isPart = (message) => (message.type === 'webResponse' || message.type === 'webBody') && message.id === id;
    await host.next((message) => isPart(message) && message.last);
    const parts = host.received.filter(isPart);
    assert.deepStrictEqual(parts.map(({ type }) => type), ['webResponse', ...parts.slice(1).map(() => 'webBody')]);
    const headers = Object.fromEntries(parts[0].headers.map(([name, value]) => [name.toLowerCase(), value]));
    const text = Buffer.concat(parts.map(({ body }) => Buffer.from(body ?? '', 'base64'))).toString();
    return { status: parts[0].status, headers, text, parts: parts.length, error: parts.at(-1).error };
}

const web = { web: true };

test('routes in the ways of Hubot scripts', async (t) => {
    const host = await hostRunning(t, ['webhooks.coffee', 'dashboard.js'], web, { env: { DASHBOARD_USER: 'me', DASHBOARD_PASSWORD: 'secret' } });
    const { routes } = host.of('routes').at(-1);
    assert.ok(routes.some(({ method, path: one, script }) => method === 'POST' && one === '/hubot/say/:room' && script === 'webhooks.coffee'), JSON.stringify(routes));
    assert.ok(routes.some(({ method, path: one, script }) => method === 'USE' && one === '/dashboard' && script === 'dashboard.js'), JSON.stringify(routes));
    // JSON, a form, a form with JSON in it, a text and bytes.
    const json = { 'Content-Type': 'application/json' };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    assert.strictEqual((await ask(host, 'POST', '/hubot/say/%23tea', { headers: json, body: '{"message":"hello"}' })).text, 'OK');
    const said = await host.next({ type: 'send' });
    assert.deepStrictEqual([said.room, said.strings, said.script, said.run], ['#tea', ['hello'], 'webhooks.coffee', undefined]);
    assert.strictEqual((await ask(host, 'POST', '/hubot/say/tea?loud=1', { headers: form, body: 'message=a+form&x[y]=1' })).text, 'OK');
    await host.next((message) => message.type === 'send' && message.strings[0] === 'A FORM');
    await ask(host, 'POST', '/hubot/github', { headers: form, body: `payload=${encodeURIComponent('{"ref":"main"}')}` });
    await host.next((message) => message.type === 'send' && message.strings[0] === 'pushed to main');
    assert.strictEqual((await ask(host, 'POST', '/hubot/text', { headers: { 'Content-Type': 'text/plain' }, body: 'é' })).text, 'text é');
    assert.strictEqual((await ask(host, 'POST', '/hubot/raw', { headers: { 'Content-Type': 'application/octet-stream' }, body: 'abc' })).text, '3 bytes');
    assert.strictEqual((await ask(host, 'POST', '/hubot/stream', { headers: { 'Content-Type': 'image/png' }, body: 'x'.repeat(300000) })).text, '300000 bytes');
    // What Hubot 2 scripts write.
    const old = await ask(host, 'GET', '/hubot/old?a=1&a=2&b[c]=3');
    assert.deepStrictEqual([old.status, old.headers['content-type'], old.text], [200, 'text/plain', '/hubot/old a=1&a=2&b[c]=3 {"a":["1","2"],"b":{"c":"3"}}']);
    assert.strictEqual(old.headers['x-powered-by'], 'hubot/Hubot');
    const moved = await ask(host, 'GET', '/hubot/moved');
    assert.deepStrictEqual([moved.status, moved.headers.location], [302, '/hubot/old']);
    const nobody = await ask(host, 'GET', '/hubot/who', { client: '192.0.2.7' });
    assert.deepStrictEqual([nobody.status, nobody.headers['content-type'], nobody.text], [201, 'application/json; charset=utf-8', '{"ip":"192.0.2.7","host":"bot.example"}']);
    assert.deepStrictEqual([(await ask(host, 'PUT', '/hubot/thing/7')).text, (await ask(host, 'DELETE', '/hubot/thing/7')).status, (await ask(host, 'PATCH', '/hubot/any')).text], ['put 7', 204, 'PATCH']);
    // Middleware, basic authentication, a router, static files.
    const refused = await ask(host, 'GET', '/dashboard/state');
    assert.deepStrictEqual([refused.status, refused.headers['www-authenticate'], refused.text], [401, 'Basic realm="Authorization Required"', 'Unauthorized']);
    const allowed = { headers: { Authorization: `Basic ${Buffer.from('me:secret').toString('base64')}` } };
    assert.deepStrictEqual(JSON.parse((await ask(host, 'GET', '/dashboard/state', allowed)).text), { user: 'me', listeners: 0 });
    assert.strictEqual((await ask(host, 'GET', '/dashboard/state', { headers: { Authorization: `Basic ${Buffer.from('me:secreT').toString('base64')}` } })).status, 401);
    assert.match((await ask(host, 'GET', '/dashboard/files/webhooks.coffee', allowed)).text, /^# Description/);
    assert.strictEqual((await ask(host, 'GET', '/dashboard/files/../driver.js', allowed)).status, 404);
    assert.deepStrictEqual([(await ask(host, 'GET', '/nothing')).status, (await ask(host, 'GET', '/nothing/<b>')).text.includes('<b>')], [404, false]);
});

test("the environment's settings of Hubot's web server", async (t) => {
    const made = folder(t, { 'public/page.html': '<p>page' });
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.router.post("/x", (req, res) => res.json(req.body)) }' }, web, {
        env: { EXPRESS_USER: 'u', EXPRESS_PASSWORD: 'p', EXPRESS_STATIC: path.join(made, 'public'), EXPRESS_LIMIT: '20b', EXPRESS_PARAMETER_LIMIT: '2' },
    });
    const Authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
    const post = async (type, body) => ask(host, 'POST', '/x', { headers: { Authorization, 'Content-Type': type }, body });
    assert.strictEqual((await ask(host, 'GET', '/page.html')).status, 401);
    assert.strictEqual((await ask(host, 'GET', '/page.html', { headers: { Authorization } })).text, '<p>page');
    assert.strictEqual((await post('application/json', '{"a":1}')).text, '{"a":1}');
    assert.strictEqual((await post('application/json', `{"a":"${'x'.repeat(30)}"}`)).status, 413);
    assert.strictEqual((await post('application/json', '{"a"')).status, 400);
    assert.strictEqual((await post('application/x-www-form-urlencoded', 'a=1&b=2')).text, '{"a":"1","b":"2"}');
    assert.strictEqual((await post('application/x-www-form-urlencoded', 'a=1&b=2&c=3')).status, 413);
});

test('bodies in parts, in both directions', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.router.post('/x', (req, res) => { let n = 0; req.on('data', (part) => { n += part.length }); req.on('end', () => res.send(String(n))) })
            robot.router.get('/long', (req, res) => { res.writeHead(200, { 'Content-Type': 'text/plain' }); for (let i = 0; i < 1000; i += 1) { res.write('y'.repeat(1000)) } res.end() })
            robot.router.get('/longer', (req, res) => { const write = () => { while (!res.destroyed && res.write('z'.repeat(1 << 20))); }; res.on('drain', write); write() })
        }`,
    }, web);
    number += 1;
    const id = number;
    host.write({ type: 'webRequest', id, method: 'POST', url: '/x', headers: [['Host', 'x'], ['Transfer-Encoding', 'chunked']], body: Buffer.from('ab').toString('base64'), last: false });
    host.write({ type: 'webBody', id, body: Buffer.from('cde').toString('base64'), last: false });
    host.write({ type: 'webBody', id, last: true });
    assert.strictEqual((await answer(host, id)).text, '5');
    const long = await ask(host, 'GET', '/long');
    assert.strictEqual(long.text.length, 1000000);
    assert.ok(long.parts > 3 && long.parts < 20, String(long.parts));
    assert.ok(host.received.every((message) => (message.body?.length ?? 0) <= 262144));
    const endless = await ask(host, 'GET', '/longer');
    assert.strictEqual(endless.error, 'the answer has more than 33554432 bytes');
});

test('errors of routes, and clients that go away', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.router.get('/throw', () => { throw new Error('in a route') })
            robot.router.get('/reject', async () => { throw new Error('in a promise') })
            robot.router.get('/next', (req, res, next) => next(new Error('passed on')))
            robot.router.get('/half', (req, res) => { res.write('half'); setTimeout(() => res.destroy(), 1) })
            robot.router.get('/none', (req, res) => { res.destroy() })
            robot.router.get('/later', (req, res) => { setTimeout(() => { throw new Error('in a timer of a route') }, 1); res.end() })
            robot.router.get('/never', (req, res) => { res.on('close', () => console.log('closed')); robot.logger.info('waiting') })
        }`,
        'b.js': 'module.exports = (robot) => { robot.router.get("/b", () => { throw new Error("in b") }) }',
    }, web);
    const thrown = await ask(host, 'GET', '/throw');
    assert.deepStrictEqual([thrown.status, /Internal Server Error/.test(thrown.text), /in a route/.test(thrown.text)], [500, true, false]);
    const error = await host.next({ type: 'error', message: 'in a route' });
    assert.deepStrictEqual([error.script, error.line], ['a.js', 2]);
    assert.strictEqual((await ask(host, 'GET', '/reject')).status, 500);
    assert.strictEqual((await host.next({ type: 'error', message: 'in a promise' })).script, 'a.js');
    assert.strictEqual((await ask(host, 'GET', '/next')).status, 500);
    await ask(host, 'GET', '/b');
    assert.strictEqual((await host.next({ type: 'error', message: 'in b' })).script, 'b.js');
    await ask(host, 'GET', '/later');
    assert.strictEqual((await host.next({ type: 'error', message: 'in a timer of a route' })).script, 'a.js');
    const half = await ask(host, 'GET', '/half');
    assert.ok(half.error ?? half.status === 502, JSON.stringify(half));
    assert.strictEqual((await ask(host, 'GET', '/none')).status, 502);
    number += 1;
    host.write({ type: 'webRequest', id: number, method: 'GET', url: '/never', headers: [] });
    await host.next({ type: 'log', text: 'waiting' });
    host.write({ type: 'webClosed', id: number });
    await host.next({ type: 'log', text: 'closed' });
    host.write({ type: 'webClosed', id: 999 });
    host.write({ type: 'webBody', id: 999, body: 'x' });
    assert.strictEqual((await ask(host, 'GET', '/next')).status, 500);
});

test('too many requests at once, and one that Node does not accept', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.router.get("/never", () => {}) }' }, web);
    for (let index = 0; index < 100; index += 1) {
        number += 1;
        host.write({ type: 'webRequest', id: number, method: 'GET', url: '/never', headers: [] });
    }
    assert.strictEqual((await ask(host, 'GET', '/never')).status, 503);
    host.write({ type: 'webClosed', id: number - 1 });
    assert.strictEqual((await ask(host, 'GET', '/x y')).status, 400);
    assert.strictEqual((await ask(host, 'GET', '/none')).status, 404);
});

test('an app of Express that a script brings, and one that it makes', async (t) => {
    const host = await hostWith(t, {
        'a.js': `const express = require('express')
        module.exports = (robot) => {
            const app = express()
            app.use(express.json())
            app.get('/inner/:x', (req, res) => res.json({ base: req.baseUrl, x: req.params.x }))
            robot.router.use('/app', app)
            robot.router.use('/own', require('own')())
            const own = express().get('/', (req, res) => res.send('own server')).listen(0, '127.0.0.1', () => {
                robot.http('http://127.0.0.1:' + own.address().port).get()((err, res, body) => { robot.logger.info(body); own.close() })
            })
        }`,
        'node_modules/own/index.js': 'module.exports = () => (req, res, next) => { if (req.url === "/x") { res.end("own " + req.originalUrl) } else { next() } }',
    }, web);
    assert.deepStrictEqual(JSON.parse((await ask(host, 'GET', '/app/inner/7')).text), { base: '/app', x: '7' });
    assert.strictEqual((await ask(host, 'GET', '/own/x')).text, 'own /own/x');
    assert.strictEqual((await ask(host, 'GET', '/own/y')).status, 404);
    await host.next({ type: 'log', text: 'own server' });
});

test('a robot without a web server, and routes that come later', async (t) => {
    const source = {
        'a.js': `module.exports = (robot) => {
            robot.router.get('/a', (req, res) => res.send('a'))
            robot.hear(/more/, () => { robot.router.get('/b', (req, res) => res.send('b')); robot.router.get('/c', () => {}) })
            robot.router.listen(80)
        }`,
    };
    const without = await hostWith(t, source);
    await without.next(({ type, text }) => type === 'log' && /robot.router.listen does nothing/.test(text));
    assert.strictEqual(without.of('log').filter(({ text }) => /get no requests, because the robot has no web server/.test(text)).length, 1);
    assert.deepStrictEqual(without.of('routes'), []);
    const host = await hostWith(t, source, web);
    assert.deepStrictEqual((await host.next({ type: 'routes' })).routes, [{ method: 'GET', path: '/a', script: 'a.js' }]);
    await host.hear('more');
    const { routes } = await host.next((message) => message.type === 'routes' && message.routes.length === 3);
    assert.deepStrictEqual(routes.map(({ path: one }) => one), ['/a', '/b', '/c']);
    assert.strictEqual((await ask(host, 'GET', '/b')).text, 'b');
});

test('the routes of a script that is off do not answer', async (t) => {
    const route = (name) => `module.exports = (robot) => { robot.router.get('/${name}', (req, res) => res.send('${name}')); robot.router.get('/all', (req, res) => res.send('${name}')) }`;
    const host = await hostWith(t, { 'a.js': route('a'), 'b.js': route('b') }, web);
    assert.strictEqual((await ask(host, 'GET', '/a')).text, 'a');
    assert.strictEqual((await ask(host, 'GET', '/all')).text, 'a');
    assert.strictEqual((await ask(host, 'GET', '/a', { disabled: ['a.js'] })).status, 404);
    assert.strictEqual((await ask(host, 'GET', '/all', { disabled: ['a.js'] })).text, 'b');
    assert.strictEqual((await ask(host, 'GET', '/all', { disabled: ['a.js', 'b.js'] })).status, 404);
});

test('the robot learns of a route that takes the place of another one', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.router.get('/a', () => {})
            robot.hear(/replace/, () => { robot.router.stack.pop(); robot.router.post('/b/' + 'x'.repeat(2000), () => {}) })
            robot.hear(/nothing/, () => {})
        }`,
    }, web);
    await host.hear('replace');
    const { routes } = await host.next(({ type, routes: list }) => type === 'routes' && list[0].method === 'POST');
    assert.deepStrictEqual(routes.map(({ path: one }) => one.length), [1000]);
    await host.hear('nothing');
    assert.strictEqual(host.of('routes').length, 2);
});
