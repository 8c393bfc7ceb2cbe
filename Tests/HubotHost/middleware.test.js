'use strict';

// Middleware of Hubot scripts: for their own listeners, and for what the robot does itself.

const assert = require('node:assert');
const { test } = require('node:test');
const { hostWith } = require('./driver');

const ask = async (host, fields) => {
    host.run += 1;
    host.write({ type: 'middleware', run: host.run, ...fields });
    const { type: _type, run: _run, ...others } = await host.next({ type: 'result', run: host.run });
    return others;
};

test('the robot learns which kinds exist, also later', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.hear(/add/, () => { robot.listenerMiddleware((context, next, done) => next()) }) }',
    });
    assert.deepStrictEqual(host.of('middleware'), []);
    await host.hear('add');
    assert.deepStrictEqual(host.of('middleware'), [{ type: 'middleware', kinds: ['listener'] }]);
});

test('a signature that is neither', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.receiveMiddleware((context, next) => next()) }',
    });
    assert.strictEqual(host.of('script')[0].error.message, 'Incorrect number of arguments for middleware callback (expected 3, got 2)');
});

test('receive middleware changes the text, stops, and runs done after the message', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.receiveMiddleware((context, next, done) => {
                const { message } = context.response
                message.text = message.text.replace('plese', 'please')
                next(() => { robot.logger.info('outer done'); done() })
            })
            robot.receiveMiddleware((context, next, done) => {
                if (context.response.message.text === 'stop') return done()
                setTimeout(() => next(() => { robot.logger.info('inner done'); done() }), 2)
            })
        }`,
    });
    const message = host.message('plese');
    assert.deepStrictEqual(await ask(host, { kind: 'receive', message }), { continue: true, finished: false, text: 'please' });
    assert.deepStrictEqual(host.of('log').filter(({ text }) => /done/.test(text)), []);
    host.write({ type: 'end', number: message.number });
    await host.next({ type: 'log', text: 'outer done' });
    assert.deepStrictEqual(host.of('log').filter(({ text }) => /done/.test(text)).map(({ text }) => text), ['inner done', 'outer done']);
    assert.strictEqual((await ask(host, { kind: 'receive', message: host.message('stop') })).continue, false);
});

test('listener and response middleware for what is not JavaScript', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.listenerMiddleware(async (context) => context.listener.options.id !== 'secret.show' || context.response.message.user.id === 'root')
            robot.responseMiddleware((context, next, done) => {
                if (context.strings[0] === 'drop') return done()
                context.strings = context.strings.map((text) => context.method + ' ' + text)
                next()
            })
        }`,
    });
    const message = host.message('show');
    const listener = { options: { id: 'secret.show' }, script: 'Secret.swift' };
    assert.strictEqual((await ask(host, { kind: 'listener', message, listener, match: ['show'] })).continue, false);
    assert.strictEqual((await ask(host, { kind: 'listener', message: host.message('show', { user: { id: 'root', name: 'root' } }), listener })).continue, true);
    assert.strictEqual((await ask(host, { kind: 'listener', message, listener: {} })).continue, true);
    const response = await ask(host, { kind: 'response', message, method: 'reply', strings: ['a', 'b'] });
    assert.deepStrictEqual(response.strings, ['reply a', 'reply b']);
    assert.strictEqual((await ask(host, { kind: 'response', message, method: 'send', strings: ['drop'] })).continue, false);
    assert.strictEqual((await ask(host, { kind: 'no such', message })).continue, true);
});

test('middleware that fails stops the message, and is an error of its script', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.listenerMiddleware((context, next, done) => {
                if (context.listener.options.id === 'sync') throw new Error('sync middleware')
                next()
            })
            robot.listenerMiddleware(async (context) => {
                if (context.listener.options.id === 'async') throw new Error('async middleware')
            })
            robot.hear(/sync/, { id: 'sync' }, (res) => res.send('never'))
            robot.hear(/async/, { id: 'async' }, (res) => res.send('never'))
            robot.hear(/fine/, (res) => res.send('fine'))
        }`,
    });
    assert.deepStrictEqual(await host.hear('async sync fine'), [['send', 'fine']]);
    assert.strictEqual((await host.next({ type: 'error', message: 'sync middleware' })).script, 'a.js');
    assert.strictEqual((await host.next({ type: 'error', message: 'async middleware' })).script, 'a.js');
    const stopped = host.of('result').filter((result) => result.stopped);
    assert.strictEqual(stopped.length, 2);
    assert.ok(stopped.every(({ matched, ended }) => matched && ended));
});

test('middleware that never continues, and a robot that does not wait', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            let goOn
            robot.listenerMiddleware((context, next, done) => { if (context.listener.options.id === 'slow') { goOn = next } else { next() } })
            robot.hear(/slow/, { id: 'slow' }, (res) => { res.send('too late') })
            robot.hear(/go on/, (res) => { goOn(); res.send('continued') })
        }`,
    });
    const [slow, goOn] = host.listeners();
    host.write({ type: 'message', run: 100, listener: slow.id, message: host.message('slow') });
    host.write({ type: 'cancel', run: 100 });
    await host.ask(goOn, host.message('go on'));
    host.write({ type: 'ping', id: 1 });
    await host.next({ type: 'pong' });
    assert.deepStrictEqual(host.of('send').map(({ strings }) => strings[0]), ['continued']);
    assert.deepStrictEqual(host.of('result').map(({ run }) => run), [1]);
    // Without cancel, the listener runs when the middleware continues.
    host.write({ type: 'message', run: 200, listener: slow.id, message: host.message('slow') });
    await host.ask(goOn, host.message('go on'));
    assert.strictEqual((await host.next({ type: 'result', run: 200 })).ended, true);
    host.write({ type: 'cancel', run: 200 });
});

test('middleware that continues twice runs the listener once', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.listenerMiddleware((context, next, done) => { next(); next(); done() })
            robot.hear(/x/, (res) => { res.send('once') })
        }`,
    });
    assert.deepStrictEqual(await host.hear('x'), [['send', 'once']]);
    assert.strictEqual(host.of('result').length, 1);
});

test('response middleware keeps the order of what is sent, and the callback', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.responseMiddleware((context, next, done) => {
                if (context.strings.includes('quiet')) return done()
                next()
            })
            robot.hear(/x/, async (res) => {
                res.send('1')
                res.send('quiet')
                await res.reply('2', () => robot.logger.info('called back'))
                res.emote('3')
            })
        }`,
    });
    assert.deepStrictEqual(await host.hear('x'), [['send', '1'], ['reply', '2'], ['emote', '3']]);
    await host.next({ type: 'log', text: 'called back' });
});

test('a script that replaces robot.receive decides which messages go on', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            const original = robot.receive
            robot.receive = (message) => {
                if (message.text === 'eaten') return robot.messageRoom('#x', 'mine')
                if (message.text === 'broken') throw new Error('broken')
                original.call(robot, message)
            }
            robot.hear(/./, (res) => { res.send('heard') })
        }`,
    });
    assert.deepStrictEqual(host.of('middleware').at(-1).kinds, ['receive']);
    assert.deepStrictEqual(await host.hear('other'), [['send', 'heard']]);
    assert.deepStrictEqual(await host.hear('eaten'), [['send', 'mine']]);
    assert.deepStrictEqual(await host.hear('broken'), [['send', 'heard']]);
    assert.deepStrictEqual(host.of('receive'), []);
});

/** Asks as the robot does about a message, also about one that a script has injected. */
const receive = async (host, text, token) => {
    const message = host.message(text, { token });
    const result = await ask(host, { kind: 'receive', message });
    host.write({ type: 'end', number: message.number });
    return result.continue;
};

test('an async function in place of robot.receive decides when it has ended, or has passed the message on', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            const original = robot.receive.bind(robot)
            const later = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds) })
            robot.receive = async (message) => {
                await later(1)
                if (message.text === 'eaten') { return }
                if (message.text === 'broken') { throw new Error('broken') }
                await original(message)
                await original(message)
                if (message.text === 'slow') { await later(100000) }
            }
        }`,
    });
    assert.strictEqual(await receive(host, 'hi'), true);
    assert.strictEqual(await receive(host, 'slow'), true);
    assert.strictEqual(await receive(host, 'eaten'), false);
    assert.strictEqual(await receive(host, 'broken'), true);
    await host.next({ type: 'error', message: 'broken' });
    assert.deepStrictEqual(host.of('receive'), []);
});

test('a message that goes on too late is passed to the robot once', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            const original = robot.receive.bind(robot)
            let asked = 0
            robot.receive = (message) => {
                asked += 1
                if (message.text === 'waiting') { return new Promise((resolve) => { setTimeout(() => { original(message); robot.logger.info('too late'); resolve() }, 100) }) }
                setTimeout(() => original(message), 1)
            }
            robot.hear(/asked/, (res) => { res.send(String(asked)) })
            robot.hear(/again/, (res) => { robot.receive(res.message) })
        }`,
    });
    // The function doesn't return a promise.
    assert.strictEqual(await receive(host, 'late'), false);
    const { token } = await host.next({ type: 'receive' });
    assert.strictEqual(await receive(host, 'late', token), true);
    // The robot hasn't waited, so the message is on its way already.
    host.write({ type: 'middleware', run: 900, kind: 'receive', message: host.message('waiting') });
    host.write({ type: 'cancel', run: 900 });
    await host.next({ type: 'log', text: 'too late' });
    assert.strictEqual(host.of('receive').length, 1);
    await host.ask(host.listeners()[0], host.message('asked'));
    assert.deepStrictEqual(host.of('send').at(-1).strings, ['2']);
    // What a listener injects passes through the function again.
    await host.ask(host.listeners()[1], host.message('again'));
    await host.next(() => host.of('receive').length === 2);
    assert.strictEqual(await receive(host, 'again', host.of('receive')[1].token), false);
});

test('after an error of such a function, the same message can be passed to the robot', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            const original = robot.receive.bind(robot)
            let failed = false
            robot.receive = (message) => { if (!failed) { failed = true; throw new Error('once') } return original(message) }
            robot.hear(/x/, (res) => { robot.receive(res.message) })
        }`,
    });
    const message = host.message('x');
    assert.strictEqual((await ask(host, { kind: 'receive', message })).continue, true);
    await host.ask(host.listeners()[0], message);
    await host.next({ type: 'receive' });
});

test('the middleware of a script that is off is skipped', async (t) => {
    const source = (name) => `module.exports = (robot) => {
        robot.receiveMiddleware((context, next, done) => { context.response.message.text += ' ${name}'; next() })
        robot.brain.on('loaded', () => robot.receiveMiddleware(async (context) => context.response.message.text.length < 30))
        robot.listenerMiddleware((context, next, done) => { context.response.message.text += ' ${name}'; next() })
        robot.responseMiddleware((context, next, done) => { context.strings = context.strings.map((text) => text + ' ${name}'); next() })
    }`;
    const host = await hostWith(t, {
        'a.js': source('a'), 'b.js': source('b'),
        'c.js': 'module.exports = (robot) => { robot.hear(/go/, async (res) => { res.send(res.message.text); await null; res.send("later") }) }',
    });
    const texts = async (disabled) => {
        const first = host.received.length;
        await host.ask(host.listeners()[0], host.message('go'), { disabled });
        await host.next((message) => host.received.indexOf(message) >= first && message.type === 'send' && message.strings[0].startsWith('later'));
        return host.received.slice(first).filter(({ type }) => type === 'send').map(({ strings }) => strings[0]);
    };
    assert.deepStrictEqual(await texts(), ['go a b a b', 'later a b']);
    assert.deepStrictEqual(await texts(['a.js']), ['go b b', 'later b']);
    assert.deepStrictEqual(await texts(['a.js', 'b.js', 'none.js']), ['go', 'later']);
    const about = async (kind, disabled, fields = {}) => ask(host, { kind, disabled, message: host.message('hi'), ...fields });
    assert.strictEqual((await about('receive', ['b.js'])).text, 'hi a');
    assert.strictEqual((await about('receive', ['a.js'], { message: host.message('x'.repeat(40)) })).continue, false);
    assert.strictEqual((await about('receive', ['a.js', 'b.js'], { message: host.message('x'.repeat(40)) })).continue, true);
    assert.strictEqual((await about('listener', ['a.js'], { listener: {} })).text, 'hi b');
    assert.deepStrictEqual((await about('response', ['a.js'], { strings: ['x'] })).strings, ['x b']);
    // A held run keeps what was said with its message.
    await host.ask(host.listeners()[0], host.message('go'), { disabled: ['a.js'], hold: true });
    const first = host.received.length;
    host.write({ type: 'resume', run: host.run, continue: true });
    const held = await host.next((message) => host.received.indexOf(message) >= first && message.type === 'send');
    assert.deepStrictEqual(held.strings, ['go b b']);
});
