'use strict';

// Parts without a session.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');

const folder = path.join(__dirname, '../../Sources/HubotHost/JavaScript');
const { parseHeader } = require(path.join(folder, 'help'));
const { respondPattern, sourceOf } = require(path.join(folder, 'respond-pattern'));
const { words, namedArguments, convert } = require(path.join(folder, 'command-bus-arguments'));
const { CommandBus } = require(path.join(folder, 'command-bus'));
const { Logger } = require(path.join(folder, 'logger'));
const { line, LineReader } = require(path.join(folder, 'json-lines'));
const Middleware = require(path.join(folder, 'middleware'));
const HttpClient = require(path.join(folder, 'http-client'));

test('the header comment', () => {
    const commands = (source) => parseHeader(source, 'marvin').commands;
    assert.deepStrictEqual(commands('# Description:\n#   x\n#\n# Commands:\n#   hubot a - A\n#   None\n#\n#   hubot b\n# Author:\n#   me\n'), ['hubot a - A', 'hubot b']);
    assert.deepStrictEqual(commands("'use strict'\n// commands:\n// hubot a\n"), ['hubot a']);
    assert.deepStrictEqual(commands('// Commands\n//hubot a\r\n// hubot b\r\n'), ['hubot a', 'hubot b']);
    // The header ends with the first line that is no comment.
    assert.deepStrictEqual(commands('# Commands:\n#   hubot a\n\n#   hubot b\n'), ['hubot a']);
    assert.deepStrictEqual(commands('\n# Commands:\n#   hubot a\n'), []);
    assert.deepStrictEqual(commands('## Commands:\n## hubot a\n'), ['hubot a']);
    assert.deepStrictEqual(commands('# A script\n#\n# xxhubot does it - not this\n# ..Hubot waves\n# None\n'), ['script', 'marvin waves', 'ne']);
    assert.deepStrictEqual(commands(''), []);
    assert.deepStrictEqual(parseHeader('# URLS:\n#   /x\n', 'x').sections, { urls: ['/x'] });
});

test("respond's regular expression", () => {
    const warnings = [];
    const logger = { warning: (text) => warnings.push(text) };
    const of = (regex, name, alias) => respondPattern(regex, name, alias, logger);
    assert.strictEqual(String(of(/a\/b/i, 'Hubot', false)), '/^\\s*[@]?Hubot[:,]?\\s*(?:a\\/b)/i');
    assert.ok(of(/ping/, 'c++ (bot)', false).test('@c++ (bot), ping'));
    assert.ok(!of(/ping/, 'Hubot', false).test('hubot ping'));
    assert.strictEqual(of(/ping/, 'hub', 'hubot').source, '^\\s*[@]?(?:hubot[:,]?|hub[:,]?)\\s*(?:ping)');
    assert.ok(of(/ping/, 'hub', 'hubot').test('hubot: ping'));
    assert.ok(of(/ping/, 'hubot', '/').test('/ping'));
    assert.deepStrictEqual(warnings, []);
    of(/^ping/, 'hubot', false);
    assert.strictEqual(warnings.length, 2);
    assert.deepStrictEqual(sourceOf(/a|b/gi), { source: 'a|b', flags: 'gi' });
    assert.deepStrictEqual(sourceOf('text'), { source: '', flags: '' });
});

test('the words and arguments of a command', async () => {
    assert.deepStrictEqual(words('a "b c"  d\'e f\'g "x\\"y"'), ['a', 'b c', 'de fg', 'x"y']);
    const schemas = { all: { type: 'boolean' } };
    assert.deepStrictEqual(namedArguments(words('--all x --n 3 k:v:w -- q r --flag'), schemas), { all: true, n: '3', k: 'v:w', q: 'r', flag: true });
    assert.deepStrictEqual(namedArguments(['--n', 'a:b', '--'], {}), { n: true, a: 'b' });
    const robot = { brain: { users: () => ({ 1: { id: '1', name: 'Ada' } }) } };
    const to = (type, value, schema = {}) => convert('x', value, { type, ...schema }, robot, new Map([['upper', async (text) => text.toUpperCase()]]), {});
    assert.strictEqual(await to('number', '3.5'), 3.5);
    await assert.rejects(to('number', 'x'), /Argument x must be a number/);
    assert.deepStrictEqual([await to('boolean', 'off'), await to('boolean', 'Yes'), await to('boolean', true)], [false, true, true]);
    assert.strictEqual((await to('user', 'Ada')).id, '1');
    await assert.rejects(to('user', 'Bob'), /user "Bob" not found/);
    await assert.rejects(to('room', 'x'), /must start with #/);
    await assert.rejects(to('date', 'x'), /invalid date/);
    assert.strictEqual((await to('date', 'tomorrow')) - (await to('date', 'today')) > 80000000, true);
    assert.strictEqual(await to('upper', 'a'), 'A');
    assert.strictEqual(await to('unknown', 'a'), 'a');
    await assert.rejects(to('enum', 'a', { values: ['b'] }), /must be one of: b/);
});

test('permissions of commands', async () => {
    const bus = new CommandBus({ brain: { users: () => ({}) } });
    bus.register({ id: 'a', handler: () => 'ok', permissions: { rooms: ['#ops'] } });
    bus.register({ id: 'b', handler: () => 'ok', permissions: { roles: ['admin'] } });
    await assert.rejects(bus.execute('a', {}, { room: '#x' }), /not allowed in this room/);
    assert.strictEqual(await bus.execute('a', {}, { room: '#ops' }), 'ok');
    // Unlike Hubot's, without a provider nobody has a role.
    await assert.rejects(bus.execute('b', {}, {}), /insufficient role/);
    bus.permissionProvider = { hasRole: async (user, roles) => user === 'root' && roles[0] === 'admin' };
    assert.strictEqual(await bus.execute('b', {}, { user: 'root' }), 'ok');
    assert.throws(() => bus.register({ id: 'a', handler: () => {} }), /already registered/);
    const events = [];
    bus.on('commands:updated', ({ commandId }) => events.push(commandId));
    bus.register({ id: 'a', description: 'new', aliases: ['Do A'], handler: () => 'other' }, { update: true });
    bus.register({ id: 'c', aliases: ['do  a'], handler: () => {} });
    assert.deepStrictEqual(events, ['a']);
    assert.deepStrictEqual(bus.aliasCollisions(), { 'do a': ['a', 'c'] });
    assert.deepStrictEqual([bus.unregister('c'), bus.getCommand('c'), bus.listCommands({ prefix: 'a' }).length], [true, undefined, 1]);
    // Still an array of help lines.
    assert.deepStrictEqual([...bus], ['hubot a', 'hubot b', 'hubot c']);
    assert.strictEqual(bus.filter((text) => text === 'hubot a').length, 1);
    assert.strictEqual(JSON.stringify(bus), '["hubot a","hubot b","hubot c"]');
});

test('both names of each level', () => {
    const written = [];
    const logger = new Logger((level, text) => written.push([level, text]), 'debug');
    logger.trace('no');
    for (const name of ['debug', 'info', 'notice', 'warning', 'warn', 'error', 'critical', 'alert', 'emergency', 'fatal']) {
        logger[name]('%s %d', name, 1);
    }
    logger.log('warn', 'x');
    logger.log('just text');
    logger.info({ a: 1 }, 'with %s', 'details');
    logger.error(new Error('e').message);
    logger.child({}).info('child');
    logger.level = 'error';
    logger.info('no');
    assert.deepStrictEqual(written.map(([level]) => level), [
        'debug', 'info', 'notice', 'warning', 'warning', 'error', 'critical', 'critical', 'critical', 'critical', 'warning', 'info', 'info', 'error', 'info',
    ]);
    assert.strictEqual(written[12][1], 'with details { a: 1 }');
});

test('lines', () => {
    assert.strictEqual(line({ a: '\ud800 \\ud800 \u{1f600}' }), '{"a":"\\ufffd \\\\ud800 \u{1f600}"}\n');
    const found = [];
    const reader = new LineReader(20, (message) => found.push(message), (problem) => found.push(problem));
    reader.push(Buffer.from('{"type":"a"}\n{"type"'));
    reader.push(Buffer.from(':"b"}\n' + 'x'.repeat(15)));
    reader.push(Buffer.from('x'.repeat(15) + '\n{"type":"c"}\n'));
    assert.deepStrictEqual(found, [{ type: 'a' }, { type: 'b' }, 'a line from the robot is longer than 20 bytes', { type: 'c' }]);
});

test('a line that never ends takes no memory', () => {
    const reader = new LineReader(20, () => {}, () => {});
    for (let part = 0; part < 100; part += 1) {
        reader.push(Buffer.from('x'.repeat(10)));
    }
    assert.strictEqual(reader.parts.length, 0);
});

test('middleware as scripts use it themselves', async () => {
    const errors = [];
    const stack = new Middleware({ emit: (_event, error) => errors.push(error.message) });
    let times = 0;
    stack.register((context, next, done) => { next(); next(); done(); });
    stack.register(async (context) => { context.seen = true; });
    const context = {};
    assert.strictEqual(await stack.execute(context, () => { times += 1; }), true);
    assert.deepStrictEqual([times, context.seen], [1, true]);
    stack.register((_context) => { throw new Error('broken'); });
    assert.strictEqual(await stack.execute({}), false);
    assert.deepStrictEqual(errors, ['broken']);
});

test("the HTTP client's address", () => {
    const client = HttpClient.create('http://user:secret@example.com:81/a b?x=1&y=2|3', { headers: { A: '1' } });
    assert.strictEqual(client.fullPath(), '/a%20b?x=1&y=2%7C3');
    client.query('x').query({ z: ['1', '2'] }).path('c').port(82).protocol('https:').host('other');
    assert.strictEqual(client.fullPath(), '/a%20b/c?y=2%7C3&z=1&z=2');
    assert.strictEqual(client.options.auth, 'user:secret');
    const scoped = client.scope('/d');
    scoped.header('B', '2');
    assert.deepStrictEqual([scoped.fullPath(), scoped.options.hostname, client.options.headers], ['/d?y=2%7C3&z=1&z=2', 'other', { A: '1' }]);
    assert.strictEqual(client.auth().options.auth, null);
    assert.strictEqual(client.auth('a', 'b').options.auth, 'a:b');
    assert.strictEqual(client.auth('c:d').options.auth, 'c:d');
});

test('HTTP verbs, timeouts, streaming and errors', async (t) => {
    const http = require('http');
    const server = http.createServer((request, response) => {
        if (request.url === '/never') {
            return;
        }
        let body = '';
        request.on('data', (part) => { body += part; });
        request.on('end', () => response.end(`${request.method} ${body} é`));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => { server.closeAllConnections(); server.close(); });
    const url = `http://127.0.0.1:${server.address().port}`;
    const result = (send) => new Promise((resolve) => send((error, response, body) => resolve([error?.code ?? null, response?.statusCode ?? null, body])));
    for (const method of ['get', 'post', 'put', 'patch', 'delete', 'del']) {
        const verb = method === 'del' ? 'DELETE' : method.toUpperCase();
        const sent = method === 'get' ? '' : 'data';
        assert.deepStrictEqual(await result(HttpClient.create(url)[method](sent)), [null, 200, `${verb} ${sent} é`]);
    }
    assert.deepStrictEqual(await result(HttpClient.create(url).head()), [null, 200, '']);
    assert.deepStrictEqual(await result(HttpClient.create(url).post((error, request) => { request.write('streamed'); })), [null, 200, 'POST streamed é']);
    assert.deepStrictEqual(await result(HttpClient.create(url).encoding('binary').get()), [null, 200, 'GET  Ã©']);
    assert.deepStrictEqual(await result(HttpClient.create(`${url}/never`).timeout(30).get()), ['ETIMEDOUT', null, null]);
    assert.deepStrictEqual((await result(HttpClient.create('http://127.0.0.1:1').get()))[0], 'ECONNREFUSED');
    assert.strictEqual((await result(HttpClient.create('http://a').header('bad name', 'x').get()))[0], 'ERR_INVALID_HTTP_TOKEN');
    // Nothing is sent until the returned function is called, and without a callback an error isn't uncaught.
    HttpClient.create('http://127.0.0.1:1').get()();
});
