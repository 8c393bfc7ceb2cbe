'use strict';

// The protocol itself: order, bounds, errors of the robot, the life of the process.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

test('only a matching listener answers, and the result says what happened', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/one/, (res) => { res.send('1') })
            robot.hear(/two/i, { id: 'two' }, (res) => { res.finish() })
            robot.hear(/^three$/m, async (res) => { await res.send('3') })
            robot.hear(/change/, (res) => { res.message.text = 'changed' })
            robot.hear(/fail/, (res) => { throw new Error('failed') })
            robot.hear(/reject/, async (res) => { await null; throw new TypeError('rejected') })
        }`,
    });
    const [one, two, three, change, fail, reject] = host.listeners();
    assert.deepStrictEqual(two, { type: 'listener', id: 2, script: 'a.js', ordinal: 1, kind: 'hear', pattern: 'two', flags: 'i', options: { id: 'two' } });
    assert.deepStrictEqual(one.options, { id: null });
    const result = async (listener, text) => {
        const { type: _type, run: _run, ...others } = await host.ask(listener, host.message(text));
        return others;
    };
    assert.deepStrictEqual(await result(one, 'nothing'), { matched: false });
    assert.deepStrictEqual(await result(one, 'one'), { matched: true, ended: true, finished: false });
    assert.deepStrictEqual(await result(two, 'TWO'), { matched: true, ended: true, finished: true });
    assert.deepStrictEqual(await result(three, 'x\nthree\ny'), { matched: true, ended: false, finished: false });
    assert.deepStrictEqual(await result(change, 'change'), { matched: true, ended: true, finished: false, text: 'changed' });
    assert.deepStrictEqual(await result(fail, 'fail'), { matched: true, ended: true, finished: false, error: 'failed' });
    assert.deepStrictEqual(await result(reject, 'reject'), { matched: true, ended: false, finished: false });
    const ended = await host.next({ type: 'ended', error: 'rejected' });
    assert.strictEqual(ended.run, host.run);
    const error = await host.next({ type: 'error', message: 'rejected' });
    assert.deepStrictEqual([error.script, error.run, path.basename(error.file), error.line], ['a.js', host.run, 'a.js', 7]);
    assert.deepStrictEqual(await result({ id: 99 }, 'one'), { matched: false });
});

test('a promise of send ends when the robot has answered, and fails when the robot refuses', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/two/, async (res) => {
                await res.send('first')
                await res.send('second')
            })
            robot.hear(/refused/, async (res) => {
                try { await res.send('no') } catch (error) { await res.send('caught: ' + error.message) }
            })
            robot.hear(/forgotten/, (res) => { res.send('no') })
            robot.hear(/awaited/, async (res) => { await res.send('no') })
        }`,
    });
    host.answers = false;
    host.hear('two');
    const first = await host.next({ type: 'send' });
    // A ping is answered meanwhile, and the second text isn't sent yet.
    host.write({ type: 'ping', id: 5 });
    await host.next({ type: 'pong', id: 5 });
    assert.strictEqual(host.of('send').length, 1);
    assert.strictEqual(host.of('ended').length, 0);
    host.write({ type: 'response', request: first.request });
    const second = await host.next((message) => message.type === 'send' && message.strings[0] === 'second');
    host.write({ type: 'response', request: second.request });
    await host.next({ type: 'ended', run: 1 });
    host.answers = true;
    host.refuse = ({ strings }) => (strings[0] === 'no' ? 'too many' : undefined);
    assert.deepStrictEqual(await host.hear('refused'), [['send', 'no'], ['send', 'caught: too many']]);
    await host.hear('forgotten');
    await host.hear('awaited');
    assert.strictEqual(host.of('ended').at(-1).error, 'too many');
    // The robot knows what it has refused, so that is no error of the script.
    assert.deepStrictEqual(host.of('error'), []);
});

test('a run doesn\'t wait for the answer that its listener returns, because the robot does', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/answer/, (res) => res.reply('here'))
            robot.hear(/elsewhere/, (res) => robot.messageRoom('#other', 'there'))
            robot.hear(/first/, (res) => { const first = res.send('one'); res.send('two'); return first })
            robot.hear(/refused/, (res) => res.send('no'))
            robot.hear(/then/, (res) => res.send('one').then(() => res.send('two')))
        }`,
    });
    const [answer, elsewhere, first, refused, then] = host.listeners();
    const ended = async (listener, text) => (await host.ask(listener, host.message(text))).ended;
    assert.strictEqual(await ended(answer, 'answer'), true);
    assert.strictEqual(await ended(elsewhere, 'elsewhere'), false);
    await host.next({ type: 'ended', run: host.run });
    assert.strictEqual(await ended(first, 'first'), false);
    await host.next({ type: 'ended', run: host.run });
    assert.strictEqual(await ended(then, 'then'), false);
    await host.next({ type: 'ended', run: host.run });
    host.refuse = () => 'too many';
    assert.strictEqual(await ended(refused, 'refused'), true);
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong' });
    assert.strictEqual(host.of('ended').length, 3);
    assert.deepStrictEqual(host.of('error'), []);
});

test('all listeners of a message get the same object, until the robot ends it', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/x/, (res) => { res.message.mark = (res.message.mark || 0) + 1; res.send(String(res.message.mark)) })
            robot.hear(/x/, (res) => { res.message.mark += 1; res.send(String(res.message.mark)) })
        }`,
    });
    assert.deepStrictEqual(await host.hear('x'), [['send', '1'], ['send', '2']]);
    assert.deepStrictEqual(await host.hear('x', { number: 1 }), [['send', '1'], ['send', '2']]);
});

test('an addressed message in a form that Hubot does not know', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.respond(/ping (.*)$/, (res) => res.send("pong " + res.match[1])) }',
    }, { alias: '/' });
    assert.deepStrictEqual(await host.hear('ping x', { room: 'ada', command: 'ping x' }), [['send', 'pong x']]);
    assert.deepStrictEqual(await host.hear('HUBOT: ping y'), [['send', 'pong y']]);
    assert.deepStrictEqual(await host.hear('/ping z'), [['send', 'pong z']]);
    assert.deepStrictEqual(await host.hear('ping x'), []);
});

test('the robot can hold a run between match and callback', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/(a)(b)?/, (res) => { res.send(res.match[1]) }) }' });
    const [listener] = host.listeners();
    const held = await host.ask(listener, host.message('a'), { hold: true });
    assert.deepStrictEqual({ ...held }, { type: 'result', run: 1, matched: true, held: true, match: ['a', 'a', null] });
    assert.deepStrictEqual(host.of('send'), []);
    host.received = host.received.filter(({ type }) => type !== 'result');
    host.write({ type: 'resume', run: 1, continue: true });
    const result = await host.next({ type: 'result', run: 1 });
    assert.strictEqual(result.ended, true);
    assert.strictEqual(host.of('send').length, 1);
    await host.ask(listener, host.message('a'), { hold: true });
    host.write({ type: 'resume', run: 2, continue: false });
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong' });
    assert.strictEqual(host.of('send').length, 1);
    // Not a match: nothing is held.
    assert.deepStrictEqual(await host.ask(listener, host.message('zzz'), { hold: true }), { type: 'result', run: 3, matched: false });
});

test('listeners that come, go and change at run time', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/add/, () => { robot.hear(/new/, (res) => res.send('new')) })
            robot.hear(/remove/, () => { robot.listeners = robot.listeners.filter((one) => String(one.regex) !== '/new/') })
            robot.hear(/cut/, () => { robot.listeners.splice(robot.listeners.length - 1, 1, () => {}) })
            robot.hear(/own/, () => { robot.listeners.push({ call: (message) => { if (message.text === 'mine') { robot.messageRoom('#x', 'own'); return true } } }) })
            robot.hear(/later/, () => { setTimeout(() => robot.hear(/late/, () => {}), 5) })
        }`,
    });
    await host.hear('add');
    const added = await host.next({ type: 'listener', id: 6 });
    assert.strictEqual(added.script, 'a.js');
    assert.deepStrictEqual(await host.hear('new'), [['send', 'new']]);
    await host.hear('remove');
    assert.deepStrictEqual(host.of('unlisten'), [{ type: 'unlisten', listener: 6 }]);
    assert.deepStrictEqual(await host.hear('new'), []);
    await host.hear('add');
    await host.hear('cut');
    assert.strictEqual(host.of('unlisten').length, 2);
    await host.hear('own');
    assert.deepStrictEqual(await host.hear('mine'), [['send', 'own']]);
    assert.deepStrictEqual(await host.hear('not me'), []);
    await host.hear('later');
    assert.strictEqual((await host.next({ type: 'listener', pattern: 'late' })).script, 'a.js');
    // The robot removes a listener that it doesn't want.
    host.write({ type: 'unlisten', listener: 1 });
    assert.strictEqual((await host.ask({ id: 1 }, host.message('add'))).matched, false);
});

test('help lines that change at run time', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.commands.push('hubot first - 1')
            robot.hear(/more/, () => { robot.commands.push('hubot second - 2') })
            robot.hear(/none/, () => { robot.commands = []; robot.listeners = robot.listeners })
            robot.hear(/sort/, () => { robot.helpCommands() })
        }`,
    });
    assert.deepStrictEqual(host.of('script')[0].commands, ['hubot first - 1']);
    assert.deepStrictEqual(host.of('help'), []);
    await host.hear('sort');
    await host.hear('more');
    assert.deepStrictEqual((await host.next({ type: 'help' })).commands, ['hubot first - 1', 'hubot second - 2']);
    await host.hear('none');
    await host.next(({ type, commands }) => type === 'help' && commands.length === 0);
    assert.strictEqual(host.of('help').length, 2);
});

test('help lines that a script has removed while it was loaded', async (t) => {
    const host = await hostWith(t, {
        'a.js': "module.exports = (robot) => { robot.commands.push('hubot first - 1') }",
        'b.js': 'module.exports = (robot) => { robot.commands = [] }',
    });
    assert.deepStrictEqual(host.of('help').map(({ commands }) => commands), [[]]);
});

test('users that the robot knows', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.hear(/x/, (res) => { res.send(robot.brain.userForName("grace").id, robot.brain.userForName("mallory").id) }) }',
    });
    host.write({ type: 'users', users: [{ id: 'g1', name: 'Grace', room: '#r' }, { id: '__proto__', name: 'Mallory' }] });
    assert.deepStrictEqual(await host.hear('x'), [['send', 'g1', '__proto__']]);
});

test('a user keeps what scripts have stored, and earlier messages keep their room', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            let first
            robot.hear(/first/, (res) => { first = res.message.user; first.note = 'kept' })
            robot.hear(/second/, (res) => { res.send(first.room, res.message.user.room, res.message.user.note) })
        }`,
    });
    await host.hear('first', { room: '#a' });
    assert.deepStrictEqual(await host.hear('second', { room: '#b' }), [['send', '#a', '#b', 'kept']]);
});

test('a text that is changed on the way, and a user with a new name', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/^(first|second|third)/, (res) => { res.message.text = res.message.text.replace('first', 'second') })
            robot.respond(/second (.*)/, (res) => { res.send(res.match[1] + ' ' + res.message.user.name + ' ' + res.message.text) })
        }`,
    });
    const [change, answer] = host.listeners();
    const message = host.message('first x');
    assert.strictEqual((await host.ask(change, message)).text, 'second x');
    // The robot repeats the message with the changed text, which now addresses it.
    await host.ask(answer, { ...message, text: 'second x', command: 'second x' });
    assert.deepStrictEqual(host.of('send').at(-1).strings, ['x Ada second x']);
    // The robot's own middleware has changed it.
    await host.ask(answer, { ...message, text: 'hubot second y', command: 'second y' });
    assert.deepStrictEqual(host.of('send').at(-1).strings, ['y Ada hubot second y']);
    assert.deepStrictEqual(await host.hear('hubot second z', { user: { id: 'ada', name: 'Countess' } }), [['send', 'z Countess hubot second z']]);
});

test('log messages below the level are not written', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { console.log("printed"); robot.logger.warn("not"); robot.logger.error("written") }',
    }, { logLevel: 'error' });
    assert.deepStrictEqual(host.of('log').map(({ text }) => text), ['written']);
});

test('lines that are too long, not JSON, or of an unknown type are refused', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/x/, (res) => res.send("y")) }' });
    host.write('this is not JSON\n');
    host.write('[1]\n\n  \n');
    host.write('{"type":"unknown"}\n');
    host.write('{"type":"start","protocol":1}\n');
    host.write(`{"type":"ping","id":"${'x'.repeat(65 << 20)}"}\n`);
    assert.deepStrictEqual(await host.hear('x'), [['send', 'y']]);
    const texts = host.of('log').filter(({ level }) => level === 'error').map(({ text }) => text);
    assert.match(texts[0], /isn't JSON/);
    assert.match(texts[1], /isn't an object with a type/);
    assert.match(texts[2], /unknown type: unknown/);
    assert.match(texts[3], /start twice/);
    assert.match(texts[4], /longer than 67108864 bytes/);
    assert.strictEqual(texts.length, 5);
    assert.deepStrictEqual(host.of('pong'), []);
});

test('a line may come in any pieces', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/é/, (res) => res.send(res.message.text)) }' });
    const bytes = Buffer.from(`${JSON.stringify({ type: 'message', run: 1, listener: 1, message: host.message('é😀') })}\n`);
    for (const byte of bytes) {
        host.child.stdin.write(Buffer.from([byte]));
    }
    assert.deepStrictEqual((await host.next({ type: 'send' })).strings, ['é😀']);
});

test('texts that are too long, too many or no texts', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/long/, (res) => { res.send('x'.repeat(200000)) })
            robot.hear(/many/, (res) => { res.send(...Array(2000).fill('y')) })
            robot.hear(/odd/, (res) => { res.send(null, 5, undefined, { toString: () => 'object' }, ['a', 'b']); res.send(undefined); res.send() })
            robot.hear(/half/, (res) => { res.send('half \\ud83d and \\\\ud83d') })
            robot.hear(new RegExp('a'.repeat(20000)), () => {})
            robot.hear(/y/, { id: 'y', big: 'z'.repeat(9999) }, () => {})
        }`,
    });
    await host.hear('long');
    assert.strictEqual(host.of('send')[0].strings[0].length, 100000);
    await host.next(({ type, text }) => type === 'log' && /200000 characters was cut/.test(text));
    await host.hear('many');
    assert.strictEqual(host.of('send')[1].strings.length, 1000);
    assert.deepStrictEqual(await host.hear('odd'), [['send', '5', 'object', 'a,b']]);
    // Half a surrogate pair isn't valid in JSON for every reader.
    assert.deepStrictEqual(await host.hear('half'), [['send', 'half \ufffd and \\ud83d']]);
    assert.strictEqual(host.listeners()[4].pattern, undefined);
    assert.deepStrictEqual(host.listeners()[5].options, { id: 'y' });
});

test('a version that the host does not speak ends it', async (t) => {
    const host = new Driver();
    t.after(() => host.stop());
    host.write({ type: 'start', protocol: 99, name: 'Hubot', version: '1', adapters: [] });
    assert.strictEqual((await host.ended).code, 2);
    assert.match(host.of('error')[0].message, /version is 99, but this host speaks 1/);
    assert.strictEqual(host.of('error')[0].fatal, true);
});

test('ping and unknown requests before start', async (t) => {
    const host = new Driver();
    t.after(() => host.stop());
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong', id: 1 });
    host.write({ type: 'end', number: 1 });
    await host.next({ type: 'log', text: 'the robot has sent the message end before the message start' });
});

test('the host ends with the robot, and on stop it saves first', async (t) => {
    const made = folder(t, { 'a.js': 'module.exports = (robot) => { robot.brain.on("save", () => console.log("saved")); setInterval(() => {}, 1000) }' });
    const first = new Driver();
    t.after(() => first.stop());
    await first.start([path.join(made, 'a.js')]);
    first.child.stdin.end();
    assert.deepStrictEqual(await first.ended, { code: 0, signal: null });
    const second = new Driver();
    t.after(() => second.stop());
    await second.start([path.join(made, 'a.js')]);
    second.write({ type: 'stop' });
    assert.deepStrictEqual(await second.ended, { code: 0, signal: null });
    assert.strictEqual(second.of('log').at(-1).text, 'saved');
});

test('the events after all scripts are loaded come once', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.brain.on('loaded', (data) => console.log('brain', Object.keys(data).join()))
            robot.on('scripts have loaded', () => console.log('loaded', robot.listeners.length))
            robot.on('running', () => console.log('running'))
            robot.adapter.on('connected', () => console.log('connected'))
        }`,
        'b.js': 'module.exports = (robot) => { robot.hear(/x/, () => {}) }',
    });
    const texts = host.of('log').map(({ text }) => text).filter((text) => !/kept in memory only/.test(text));
    assert.deepStrictEqual(texts, ['brain users,_private', 'loaded 1', 'running', 'connected']);
});

test('a command keeps its message from later listeners, and an answer that nothing waits for goes on', async (t) => {
    const host = await hostWith(t, {
        'a.mjs': `export default (robot) => {
            robot.commands.register({ id: 'clear', confirm: 'always', handler: () => 'cleared' })
            robot.respond(/(clear|yes)/, async (res) => { await res.send('heard ' + res.match[1]) })
        }`,
    });
    assert.deepStrictEqual(await host.hear('hubot yes'), [['send', 'heard yes']]);
    assert.deepStrictEqual(await host.hear('hubot clear'), [['reply', 'Preview: clear\n\nRun it? (yes/no)']]);
    assert.deepStrictEqual(await host.hear('hubot yes'), [['reply', 'cleared']]);
    assert.deepStrictEqual(await host.hear('hubot clearly'), [['send', 'heard clear']]);
});

test('a message that no listener was asked about before reaches a catch-all as what it is', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.catchAll((res) => res.send(`${res.message.constructor.name} ${res.message.text}`)) }',
    });
    const [listener] = host.listeners();
    const kinds = { text: 'TextMessage', enter: 'EnterMessage', leave: 'LeaveMessage', topic: 'TopicMessage' };
    for (const [original, name] of Object.entries(kinds)) {
        const message = host.message(original === 'enter' ? undefined : 'tea', { kind: 'catchAll', original });
        await host.ask(listener, message);
        assert.deepStrictEqual(host.of('send').at(-1).strings, [`${name} ${message.text}`]);
    }
});
