'use strict';

// What the scripts in scripts/ do, which are written in the styles of Hubot 2, 3 and 14.

const assert = require('node:assert');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { test } = require('node:test');
const { hostRunning, hostWith, folder, scriptsFolder } = require('./driver');

test('greetings: respond, send, emote, reply, enter, leave, topic, environment', async (t) => {
    const host = await hostRunning(t, ['greetings.coffee'], {}, { env: { GREETING: 'Ahoy' } });
    assert.deepStrictEqual(await host.hear('hubot greet Grace'), [['send', 'Ahoy, Grace!']]);
    assert.deepStrictEqual(await host.hear('Hubot: wave'), [['emote', 'waves to #room']]);
    assert.deepStrictEqual(await host.hear('@hubot who am I?'), [['reply', 'Ada, ada, #room, #room, Ada']]);
    assert.deepStrictEqual(await host.hear(undefined, { kind: 'enter' }), [['send', 'Welcome, Ada']]);
    assert.deepStrictEqual(await host.hear(undefined, { kind: 'leave' }), [['send', 'Goodbye, Ada']]);
    assert.deepStrictEqual(await host.hear('tea', { kind: 'topic' }), [['send', 'The topic is now tea']]);
    assert.deepStrictEqual(await host.hear('greet Grace'), []);
    const script = await host.next({ type: 'script', id: 'greetings.coffee' });
    assert.deepStrictEqual(script.commands, [
        'hubot greet <name> - Greets somebody', 'hubot wave - Waves to the room', 'hubot who am I - Says your name, id and room',
    ]);
    assert.strictEqual(script.listeners.length, 6);
    assert.deepStrictEqual(host.listeners().map(({ kind }) => kind), ['respond', 'respond', 'respond', 'enter', 'leave', 'topic']);
    assert.strictEqual(host.listeners()[4].options.id, 'greetings.leave');
});

/** A web server that answers with what it was asked. */
async function echoServer(t) {
    const server = http.createServer((request, response) => {
        let body = '';
        request.on('data', (part) => { body += part; });
        request.on('end', () => {
            const { headers, method, url } = request;
            if (url.includes('teapot')) {
                response.writeHead(418);
                response.end('no');
            } else if (url.startsWith('/now')) {
                response.end(JSON.stringify({ degrees: 21, url, accept: headers.accept }));
            } else {
                response.end(JSON.stringify({ method, url, body, station: headers['x-station'], auth: headers.authorization, agent: headers['user-agent'], length: headers['content-length'] }));
            }
        });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    return `http://127.0.0.1:${server.address().port}`;
}

test('weather: msg.http and robot.http with the whole chain', async (t) => {
    const url = await echoServer(t);
    const host = await hostRunning(t, ['weather.coffee'], {}, { env: { WEATHER_URL: url } });
    const say = async (text) => {
        const before = host.of('send').length;
        await host.hear(text);
        await host.next(() => host.of('send').length > before);
        return host.of('send').at(-1);
    };
    const weather = await say('hubot weather Paris');
    assert.deepStrictEqual(weather.strings, ['21 degrees']);
    // It is sent long after the listener has ended, but belongs to its run.
    assert.strictEqual(weather.run, 1);
    const report = JSON.parse((await say('hubot report all is well')).strings[0]);
    assert.deepStrictEqual(report, {
        method: 'POST', url: '/reports', body: '{"text":"all is well"}', station: 'one', agent: 'Heybot/9.9.9', length: '22',
    });
    const station = JSON.parse((await say('hubot station 7')).strings[0]);
    assert.strictEqual(station.url, '/stations/7?full=yes');
    assert.strictEqual(station.auth, `Basic ${Buffer.from('me:secret').toString('base64')}`);
    assert.strictEqual(station.length, '0');
});

test('weather: a service that fails', async (t) => {
    const host = await hostRunning(t, ['weather.coffee'], {}, { env: { WEATHER_URL: 'http://127.0.0.1:1' } });
    await host.hear('hubot weather Paris');
    const { strings } = await host.next({ type: 'send' });
    assert.match(strings[0], /^The weather failed: connect ECONNREFUSED/);
});

test('karma: the brain as an object, its events, and hear', async (t) => {
    const host = await hostRunning(t, ['karma.coffee']);
    assert.deepStrictEqual(await host.hear('swift++'), [['send', 'swift: 1']]);
    assert.deepStrictEqual(await host.hear('and Swift++ again'), [['send', 'swift: 2']]);
    assert.deepStrictEqual(await host.hear('hubot karma SWIFT'), [['send', '2']]);
    assert.deepStrictEqual(await host.hear('hubot best'), [['send', 'swift (2)']]);
    assert.strictEqual(host.of('log').filter(({ text }) => /kept in memory only/.test(text)).length, 1);
});

test('people: users in the brain, get, set, remove, mergeData', async (t) => {
    const host = await hostRunning(t, ['people.coffee']);
    await host.hear('hello', { user: { id: 'bea', name: 'Adalbert' } });
    assert.deepStrictEqual(await host.hear('hubot find ada'), [['send', 'Ada | 2 | ada | true']]);
    assert.deepStrictEqual(await host.hear('hubot find ad'), [['send', 'Adalbert, Ada | 2 | undefined | false']]);
    assert.deepStrictEqual(await host.hear('hubot note carl likes tea'), [['send', '3 users, 1 notes, likes tea']]);
    assert.deepStrictEqual(await host.hear('hubot forget everything'), [['send', 'null milk true']]);
});

test('rooms: messageRoom, finish, robot.send and reply, locked, play, topic, logger', async (t) => {
    const host = await hostRunning(t, ['rooms.coffee']);
    assert.deepStrictEqual(await host.hear('hubot tell #other hello there'), [['send', 'hello there']]);
    const told = host.of('send').at(-1);
    assert.deepStrictEqual([told.room, told.user, told.run], ['#other', undefined, 1]);
    assert.deepStrictEqual(await host.hear('hubot whisper psst'), [['send', 'psst'], ['reply', 'done']]);
    const [whispered, done] = host.of('send').slice(-2);
    assert.deepStrictEqual([whispered.room, whispered.user], ['ada', 'ada']);
    assert.deepStrictEqual([done.room, done.user], ['#room', 'ada']);
    assert.deepStrictEqual(await host.hear('hubot secret x'), [['locked', 'x']]);
    assert.deepStrictEqual(await host.hear('hubot play trombone'), [['play', 'trombone']]);
    assert.deepStrictEqual(await host.hear('hubot topic tea'), [['topic', 'tea']]);
    const logs = host.of('log').filter(({ script }) => script === 'rooms.coffee').map(({ level, text }) => [level, text]);
    assert.deepStrictEqual(logs, [['info', 'topic by Ada'], ['warning', 'an old name of a level']]);
});

test('choices: random, the flag g, catchAll, core modules', async (t) => {
    const host = await hostRunning(t, ['choices.coffee']);
    assert.deepStrictEqual(await host.hear('hubot choose tea, coffee, milk'), [['send', 'chosen: 3']]);
    assert.deepStrictEqual(await host.hear('a1b2c3'), [['send', '3 digits: 123']]);
    assert.deepStrictEqual(await host.hear('a1b2c3'), [['send', '3 digits: 123']]);
    assert.deepStrictEqual(await host.hear('what now'), [['send', "What does 'what now' mean? what%20now"]]);
});

test('deploys: events, routes and error handlers', async (t) => {
    const host = await hostRunning(t, ['deploys.coffee']);
    assert.deepStrictEqual(await host.hear('hubot deploy shop'), [['send', 'shop is deployed']]);
    assert.strictEqual(host.of('log').filter(({ text }) => /the Hubot scripts' web routes get no requests/.test(text)).length, 1);
    assert.deepStrictEqual(await host.hear('hubot break now'), [['reply', 'that failed: broken now']]);
    assert.deepStrictEqual(await host.hear('hubot break promise'), [['reply', 'that failed: broken promise']]);
    assert.deepStrictEqual(await host.hear('hubot event error'), [['reply', 'that failed: from an event']]);
    await host.hear('hubot break later');
    const late = await host.next({ type: 'error', message: 'broken later' });
    assert.strictEqual(late.script, 'deploys.coffee');
    await host.next({ type: 'log', text: 'handler: broken later' });
});

test('oldest: help without headings, printing, users on the robot', async (t) => {
    const host = await hostRunning(t, ['oldest.coffee']);
    assert.deepStrictEqual(await host.hear('hi there'), [['send', 'hi, 1 ada']]);
    const printed = await host.next({ type: 'log', text: 'printed by a script' });
    assert.deepStrictEqual([printed.level, printed.script], ['info', 'oldest.coffee']);
    const { commands } = await host.next({ type: 'script', id: 'oldest.coffee' });
    assert.deepStrictEqual(commands, ['ys hi, in the syntax of the first scripts.', 'hubot says hi']);
});

test('reminders: receive, listen, helpCommands, load and loadFile', async (t) => {
    const host = await hostRunning(t, ['reminders.coffee']);
    await host.hear('hubot say for me good night');
    const injected = host.of('receive')[0];
    assert.deepStrictEqual([injected.message.text, injected.message.user.id, injected.message.room, injected.script], ['good night', 'ada', '#room', 'reminders.coffee']);
    assert.deepStrictEqual(await host.hear('good night', { token: injected.token }), [['send', 'noted: true, good night']]);
    // Another message with the same token is not the script's object.
    assert.deepStrictEqual(await host.hear('good night', { token: injected.token }), []);
    assert.deepStrictEqual(await host.hear('hubot describe yourself'), [['send', 'Hubot false irc string true true false']]);
    assert.deepStrictEqual(await host.hear('hubot commands'), [
        ['send', 'hubot describe yourself - Says what the robot is; hubot say for me <text> - Says it as if you had said it'], ['send', 'true'],
    ]);
    const more = folder(t, {
        'late.coffee': '# Commands:\n#   hubot late - Is late\nmodule.exports = (robot) ->\n  robot.respond /late/, (msg) -> msg.send "late"\n',
        'more/other.js': 'module.exports = (robot) => { robot.hear(/other/, (res) => res.send("other")) }',
    });
    assert.deepStrictEqual(await host.hear(`hubot load ${more}/late.coffee`), [['send', 'loaded']]);
    await host.next({ type: 'script', id: 'other.js' });
    assert.deepStrictEqual((await host.next({ type: 'script', id: 'late.coffee' })).commands, ['hubot late - Is late']);
    assert.deepStrictEqual(await host.hear('hubot late'), [['send', 'late']]);
    assert.deepStrictEqual(await host.hear('other'), [['send', 'other']]);
});

test('literate CoffeeScript, and options of a listener', async (t) => {
    const host = await hostRunning(t, ['literate.litcoffee']);
    assert.deepStrictEqual(host.listeners()[0].options, { id: 'literate.why', help: 'why' });
    assert.deepStrictEqual(await host.hear('hubot why literate'), [['send', 'because it reads well']]);
});

test('vote: classes of Hubot 3, several texts, a callback of send', async (t) => {
    const host = await hostRunning(t, ['vote.js']);
    assert.deepStrictEqual(await host.hear('hubot start vote tea?'), [['send', 'Vote: tea?']]);
    await host.next({ type: 'log', text: 'the vote is announced' });
    assert.deepStrictEqual(await host.hear('hubot vote yes'), [['reply', 'counted']]);
    assert.deepStrictEqual(await host.hear('hubot votes'), [['send', '1 yes', 'true']]);
    assert.deepStrictEqual(await host.hear('classes'), [['send', 'inner y'], ['send', 'true true true']]);
    assert.deepStrictEqual(host.listeners()[1].options, { id: 'vote.yes', cost: 3 });
});

test('guard: all three middlewares with callbacks', async (t) => {
    const host = await hostRunning(t, ['guard.js']);
    assert.deepStrictEqual(host.of('middleware').at(-1).kinds, ['receive', 'listener', 'response']);
    assert.deepStrictEqual(await host.hear('hubot guarded'), [['send', '1 received, 0 finished, d***']]);
    assert.deepStrictEqual(await host.hear('hubot guarded'), [['send', '2 received, 1 finished, d***']]);
    assert.deepStrictEqual(await host.hear('hubot spam'), []);
    assert.deepStrictEqual(await host.hear('hubot locked'), [['reply', 'that is locked']]);
    assert.deepStrictEqual(await host.hear('hubot slowly'), [['send', 'said at last']]);
});

test('store: a data store, users with get and set, custom matchers', async (t) => {
    const host = await hostRunning(t, ['store.js']);
    assert.deepStrictEqual(await host.hear('hubot remember color blue'), [['send', 'stored']]);
    assert.deepStrictEqual(await host.hear('hubot recall color'), [['send', 'blue color 4 color']]);
    assert.deepStrictEqual(await host.hear('hubot no store'), [['send', 'true datastore is not initialized']]);
    assert.deepStrictEqual(await host.hear('x'.repeat(101)), [['send', 'that had 101 characters'], ['reply', 'be brief']]);
    assert.strictEqual(host.listeners().at(-1).kind, 'listen');
    assert.strictEqual(host.listeners().at(-1).pattern, undefined);
});

test('modern: an ES module with async listeners and middleware', async (t) => {
    const url = await echoServer(t);
    const host = await hostRunning(t, ['modern.mjs'], {}, { env: { WEATHER_URL: url } });
    assert.match((await host.hear('hubot fetch /now'))[0][1], /"degrees":21/);
    assert.deepStrictEqual(await host.hear('hubot slow reply'), [['send', 'one'], ['reply', 'two']]);
    assert.deepStrictEqual(await host.hear('which kind of module'), [['send', 'true true function']]);
    assert.deepStrictEqual(await host.hear('nothing like it'), [['send', '14: nothing like it']]);
    assert.deepStrictEqual(await host.hear('modern spam'), []);
    assert.deepStrictEqual(await host.hear('hubot mild'), [['send', 'g***']]);
});

test('tickets: commands with arguments and confirmation', async (t) => {
    const host = await hostRunning(t, ['tickets.mjs']);
    const first = host.listeners()[0];
    assert.deepStrictEqual([first.kind, first.pattern], ['respond', '^\\s*tickets\\.create(?:\\s|$)']);
    assert.deepStrictEqual(await host.hear('hubot tickets.create --title "It is broken" size:3'), [['reply', 'Ada made It is broken (low, number)']]);
    assert.deepStrictEqual(await host.hear('hubot tickets.create --priority urgent'), [
        ['reply', 'Invalid command:\nMissing required arguments: title\nErrors: Argument priority must be one of: low, high'],
    ]);
    assert.deepStrictEqual(await host.hear('hubot tickets'), [['send', '1 Command: tickets.create tickets.create function']]);
    assert.deepStrictEqual(await host.hear('hubot yes'), []);
    assert.deepStrictEqual(await host.hear('hubot tickets.clear'), [['reply', 'Preview: tickets.clear\n\nRun it? (yes/no)']]);
    assert.deepStrictEqual(await host.hear('hubot yes', { user: { id: 'eve', name: 'Eve' } }), []);
    assert.deepStrictEqual(await host.hear('hubot yes'), [['reply', 'removed']]);
    assert.deepStrictEqual(await host.hear('hubot tickets'), [['send', '0 Command: tickets.create tickets.create function']]);
    const { commands } = await host.next({ type: 'script', id: 'tickets.mjs' });
    assert.deepStrictEqual(commands, [
        'hubot tickets.create - Creates a ticket', 'hubot tickets.clear - Removes all tickets', 'hubot tickets - Lists the tickets',
    ]);
});

test("toolbox: Node's modules, old globals, and members that few scripts need", async (t) => {
    const url = await echoServer(t);
    const host = await hostRunning(t, ['toolbox.coffee'], {}, { env: { TOOLBOX_URL: url } });
    // Some answers come after the listener has returned.
    const say = async (text, fields) => {
        const before = host.of('send').length;
        await host.hear(text, fields);
        await host.next(() => host.of('send').length > before);
        return host.of('send').slice(before).map(({ kind, strings }) => [kind, ...strings]);
    };
    assert.deepStrictEqual(await say('hubot digest tea'), [['send', '7239ea2b5dc943f61f3c0a0276c20974 true true .coffee']]);
    assert.deepStrictEqual(await say('hubot shell milk'), [['send', 'milk']]);
    const [[, ...verbs]] = await say('hubot verbs');
    assert.deepStrictEqual(verbs.map((text) => text.split(' ').slice(0, 2).join(' ')), ['put 200', 'delete 200', 'del 200', 'patch 200', 'head 200']);
    const asked = verbs.slice(0, 4).map((text) => JSON.parse(text.slice(text.indexOf('{'))));
    assert.deepStrictEqual(asked.map(({ method, url: place, body }) => [method, place, body]), [
        ['PUT', '/things', 'data'], ['DELETE', '/', ''], ['DELETE', '/', ''], ['PATCH', '/', 'data'],
    ]);
    assert.match((await say('hubot plain'))[0][1], /"url":"\/plain"/);
    const user = { id: 'bea', name: 'Bea', email_address: 'bea@example.org', reply_to: 'bea@muc.example.org' };
    assert.deepStrictEqual(await say('hubot address', { user }), [['send', 'Bea <bea@example.org> bea@muc.example.org in #room']]);
    assert.deepStrictEqual(await say('hubot tick'), [['send', 'ticked 2']]);
    assert.deepStrictEqual(await say('hubot old ways'), [['send', 'a%20b a b 6 tea true true', '{ a: 1 } 7 1.5 true a%20b A']]);
    assert.deepStrictEqual(await host.hear('zero\nfirst: one\ntwo!\nthree'), [['send', 'lines: "one\\ntwo"']]);
    assert.deepStrictEqual(await host.hear('hubot members'), [['send', 'own 2 false false true'], ['send', 'once 1']]);
});

test('every kind of listener takes options and a callback, or a callback alone', async (t) => {
    const host = await hostWith(t, {
        'kinds.js': `module.exports = (robot) => {
            for (const options of [[], [{ id: 'with', extra: 1 }]]) {
                const say = (res) => res.send(options.length ? 'with options' : 'without options');
                robot.hear(/heard/, ...options, say);
                robot.respond(/answered/, ...options, say);
                robot.listen((message) => message.text === 'listened', ...options, say);
                robot.enter(...options, say);
                robot.leave(...options, say);
                robot.topic(...options, say);
                robot.catchAll(...options, say);
            }
        }`,
    });
    const both = [['send', 'without options'], ['send', 'with options']];
    for (const [text, kind] of [['heard', 'text'], ['hubot answered', 'text'], ['listened', 'text'], [undefined, 'enter'], [undefined, 'leave'], ['x', 'topic'], ['nothing', 'text']]) {
        assert.deepStrictEqual(await host.hear(text, { kind }), both, `${kind} ${text}`);
    }
    const kinds = ['hear', 'respond', 'listen', 'enter', 'leave', 'topic', 'catchAll'];
    assert.deepStrictEqual(host.listeners().map(({ kind, options }) => [kind, options]), [
        ...kinds.map((kind) => [kind, { id: null }]), ...kinds.map((kind) => [kind, { id: 'with', extra: 1 }]),
    ]);
});

test('all scripts together', async (t) => {
    const files = fs.readdirSync(scriptsFolder).sort();
    const host = await hostRunning(t, files);
    assert.strictEqual(files.filter((file) => /coffee$/.test(file)).length, 12);
    assert.strictEqual(files.filter((file) => path.extname(file) === '.js').length, 4);
    assert.strictEqual(files.filter((file) => path.extname(file) === '.mjs').length, 2);
    const scripts = host.of('script');
    assert.deepStrictEqual(scripts.map(({ id }) => id), files);
    assert.deepStrictEqual(scripts.filter(({ error }) => error), []);
    // Listeners come in load order, each before its script's end.
    assert.deepStrictEqual(scripts.flatMap(({ listeners }) => listeners), host.listeners().map(({ id }) => id));
    assert.strictEqual(host.stderr, '');
    assert.deepStrictEqual(host.badLines, []);
});

// Each member of the chat API that published scripts use, what else these use, and the newer members.
const members = [
    'robot.respond', 'robot.hear', 'robot.listen', 'robot.enter', 'robot.leave', 'robot.topic', 'robot.catchAll', 'robot.receiveMiddleware',
    'robot.listenerMiddleware', 'robot.responseMiddleware', 'robot.brain', 'robot.router', 'robot.http', 'robot.logger', 'robot.send',
    'robot.reply', 'robot.messageRoom', 'robot.name', 'robot.alias', 'robot.adapterName', 'robot.version', 'robot.receive', 'robot.adapter',
    'robot.listeners', 'robot.emit', 'robot.on', 'robot.error', 'robot.commands', 'robot.helpCommands', 'robot.parseHelp', 'robot.load ',
    'robot.loadFile', 'robot.loadHubotScripts', 'robot.loadExternalScripts', 'robot.datastore', 'robot.commands.register',
    'brain.data', 'brain.on', 'brain.users', 'brain.mergeData', 'brain.userForId', 'brain.userForName', 'brain.usersForFuzzyName',
    'brain.usersForRawFuzzyName', 'brain.set', 'brain.get', 'brain.remove', 'brain.save', 'setAutoSave', 'brain.resetSaveInterval',
    'router.post', 'router.get', 'router.put', 'router.delete', 'router.all', 'router.use', 'req.params', 'req.query', 'req.body', 'req._parsedUrl', 'req.get',
    'res.send', 'res.json', 'res.end', 'res.status', 'res.sendStatus', 'res.writeHead', 'res.write', 'res.redirect', 'res.set', 'res.type', 'express.static',
    'express.basicAuth', 'express.Router', 'express.text', 'express.raw', 'logger.info', 'logger.debug', 'logger.error', 'logger.warning',
    'msg.send', 'msg.reply', 'msg.emote', 'msg.topic', 'msg.play', 'msg.locked', 'msg.random', 'msg.finish', 'msg.envelope', 'msg.http',
    'msg.match', 'msg.message', 'msg.robot', 'message.user', 'message.text', 'message.room', 'message.done', 'user.name', 'user.id',
    '.query(', '.header(', '.headers(', '.path(', '.auth(', '.timeout(', '.encoding(', '.scope ', '.get()', '.post(',
    '.put(', '.delete(', '.del(', '.patch(', '.head(', 'robot.Response', 'robot.Auth', 'robot.enableSlash', 'robot.adapter.bot', 'robot.once',
    'brain.emit', 'email_address', 'reply_to', 'req.url',
    "require 'hubot'", "require('hubot')", "from 'hubot'", 'console.log', 'process.env', 'module.exports', 'exports =',
    // The globals and the modules of Node in the census.
    'JSON.', 'new Buffer', 'new RegExp', 'escape ', 'unescape ', 'eval ', 'new Function', 'parseInt', 'parseFloat', 'isNaN', 'encodeURI', 'decodeURIComponent',
    'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval',
    ...['querystring', 'url', 'util', 'http', 'child_process', 'https', 'crypto', 'fs', 'path', 'dgram', 'zlib'].map((name) => `require '${name}'`), "require('sys')",
];

test('every member of the chat API is used by a script', () => {
    const sources = fs.readdirSync(scriptsFolder).map((file) => fs.readFileSync(path.join(scriptsFolder, file), 'utf8')).join('\n');
    const forms = (member) => [member, member.replace(/^msg\./, 'res.'), member.replace(/^robot\./, '@robot.'), member.replace(/^brain\./, '@robot.brain.')];
    assert.deepStrictEqual(members.filter((member) => !forms(member).some((form) => sources.includes(form))), []);
});
