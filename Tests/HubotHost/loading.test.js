'use strict';

// How scripts are found, compiled and loaded, and what happens if that fails.

const assert = require('node:assert');
const fs = require('fs');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

const coffee = 'module.exports = (robot) ->\n  robot.hear /ok/, (msg) -> msg.send "ok"\n';

test('a script that does not compile or throws is named with file and line, and the others go on', async (t) => {
    const host = await hostWith(t, {
        'a-syntax.coffee': 'module.exports = (robot) ->\n  robot.hear /x/, (msg) ->\n    msg.send "unclosed\n',
        'b-syntax.js': 'module.exports = (robot) => {\n  const = 3\n}\n',
        'c-throws.coffee': '# comment\n# comment\nmodule.exports = (robot) ->\n  robot.hear /half/, (msg) -> msg.send 1\n\n  undefinedFunction()\n',
        'd-throws.js': 'module.exports = (robot) => {\n  throw new Error("no key")\n}\n',
        'e-missing.js': 'require("./not-there")\nmodule.exports = () => {}\n',
        'f-nothing.js': 'const x = 1\n',
        'g-async.mjs': 'export default async () => {\n  await null\n  throw new Error("late")\n}\n',
        'h-exits.js': 'module.exports = (robot) => {\n  process.exit(1)\n}\n',
        'i-syntax.mjs': 'export default (robot) => {\n  let let = 1\n}\n',
        'j-throws-text.js': 'module.exports = () => { throw "just a text" }\n',
        'z-good.coffee': coffee,
    });
    const errors = Object.fromEntries(host.of('script').map(({ id, error }) => [id, error]));
    const place = (id) => [errors[id].file && path.basename(errors[id].file), errors[id].line];
    assert.deepStrictEqual(place('a-syntax.coffee'), ['a-syntax.coffee', 3]);
    assert.match(errors['a-syntax.coffee'].message, /missing "/);
    assert.deepStrictEqual(place('b-syntax.js'), ['b-syntax.js', 2]);
    assert.deepStrictEqual(place('c-throws.coffee'), ['c-throws.coffee', 6]);
    assert.match(errors['c-throws.coffee'].message, /undefinedFunction is not defined/);
    assert.deepStrictEqual(place('d-throws.js'), ['d-throws.js', 2]);
    assert.strictEqual(errors['d-throws.js'].message, 'no key');
    assert.match(errors['e-missing.js'].message, /Cannot find module '.\/not-there'/);
    assert.deepStrictEqual(place('e-missing.js'), ['e-missing.js', 1]);
    assert.match(errors['f-nothing.js'].message, /^Expected .*f-nothing\.js to assign a function to module\.exports, got object$/);
    assert.deepStrictEqual(place('g-async.mjs'), ['g-async.mjs', 3]);
    assert.match(errors['h-exits.js'].message, /has called process\.exit\(1\)/);
    assert.deepStrictEqual(place('i-syntax.mjs'), ['i-syntax.mjs', 2]);
    assert.strictEqual(errors['j-throws-text.js'].message, "'just a text'");
    assert.strictEqual(errors['z-good.coffee'], undefined);
    // A listener that was registered before the error stays, as in Hubot.
    assert.deepStrictEqual(await host.hear('half ok'), [['send', '1'], ['send', 'ok']]);
    assert.strictEqual((await host.next({ type: 'ready' })).scripts, 1);
});

test('the robot knows which script loads, even if that never ends', async (t) => {
    const made = folder(t, { 'loop.js': 'module.exports = () => { for (;;) {} }' });
    const host = new Driver();
    t.after(() => host.stop());
    host.write({ type: 'start', protocol: 1, name: 'Hubot', version: '1', adapters: ['irc'], scripts: [{ id: 'loop.js', path: path.join(made, 'loop.js') }] });
    await host.next({ type: 'loading', script: 'loop.js' });
    host.child.kill('SIGKILL');
    await host.ended;
});

test('a script that waits too long while it loads does not keep the others waiting', async (t) => {
    const host = await hostWith(t, {
        'a.mjs': 'export default async (robot) => { await new Promise((resolve) => robot.on("go on", resolve)); robot.hear(/late/, (res) => res.send("late")) }',
        'b.coffee': 'module.exports = (robot) ->\n  robot.hear /go/, (msg) -> robot.emit "go on"\n',
    }, { loadTime: 1000 });
    const [first, second] = host.of('script');
    assert.match(first.error.message, /hasn't finished loading after 1 s/);
    assert.strictEqual(second.error, undefined);
    await host.hear('go');
    // What it registers later is a listener all the same.
    await host.next({ type: 'listener', script: 'a.mjs' });
    assert.deepStrictEqual(await host.hear('late'), [['send', 'late']]);
});

test('compiled CoffeeScript is kept by the hash of its source', async (t) => {
    const cache = folder(t, {});
    const made = folder(t, { 'one.coffee': coffee });
    const start = async () => {
        const host = new Driver();
        t.after(() => host.stop());
        await host.start([path.join(made, 'one.coffee')], { cache });
        assert.deepStrictEqual(await host.hear('ok'), host.of('send').map(() => ['send', fs.readFileSync(path.join(made, 'one.coffee'), 'utf8').includes('changed') ? 'changed' : 'ok']));
        await host.stop();
    };
    await start();
    const files = fs.readdirSync(cache);
    assert.strictEqual(files.length, 1);
    // The second start takes what is kept: here it shows, because it was changed.
    const kept = path.join(cache, files[0]);
    fs.writeFileSync(kept, fs.readFileSync(kept, 'utf8').replace('"ok"', '"kept"'));
    const host = new Driver();
    t.after(() => host.stop());
    await host.start([path.join(made, 'one.coffee')], { cache });
    assert.deepStrictEqual(await host.hear('ok'), [['send', 'kept']]);
    fs.writeFileSync(path.join(made, 'one.coffee'), coffee.replace('"ok"', '"changed"'));
    await start();
    assert.strictEqual(fs.readdirSync(cache).length, 2);
});

test('a cached script has the lines of its source in its errors', async (t) => {
    const cache = folder(t, {});
    const made = folder(t, { 'one.coffee': '# 1\n# 2\nmodule.exports = (robot) ->\n  robot.hear /x/, (msg) ->\n\n    throw new Error "here"\n' });
    for (const round of [1, 2]) {
        const host = new Driver();
        t.after(() => host.stop());
        await host.start([path.join(made, 'one.coffee')], { cache });
        await host.hear('x');
        const error = await host.next({ type: 'error', message: 'here' });
        assert.deepStrictEqual([path.basename(error.file), error.line, round], ['one.coffee', 6, round]);
        assert.match(error.stack, /one\.coffee:6:/);
        await host.stop();
    }
});

test('a cache folder that cannot be written is a warning', async (t) => {
    const host = await hostWith(t, { 'one.coffee': coffee }, { cache: '/dev/null/cache' });
    await host.next(({ type, level, text }) => type === 'log' && level === 'warning' && /can't be cached/.test(text));
    assert.deepStrictEqual(await host.hear('ok'), [['send', 'ok']]);
});

test('without CoffeeScript, the script is named with what to install', async (t) => {
    // A compiler that doesn't exist takes the place of the system's.
    const host = await hostWith(t, { 'one.coffee': coffee }, {}, { env: { NODE_OPTIONS: `--require ${path.join(__dirname, 'hide-coffeescript.js')}` } });
    assert.match(host.of('script')[0].error.message, /CoffeeScript isn't installed: install the package coffeescript/);
});

test("the user's own compiler comes first, and another one helps if it fails", async (t) => {
    const compiler = (version, body) => ({
        'package.json': JSON.stringify({ name: 'coffee-script', version, main: 'index.js' }),
        'index.js': `exports.compile = (source) => { ${body} }`,
    });
    const files = { 'one.coffee': coffee, 'two.coffee': 'module.exports = (robot) ->\n  robot.hear /two/, (msg) -> msg.send "two"\n' };
    for (const [name, text] of Object.entries(compiler('1.0.0', 'if (source.includes("two")) throw new Error("too old"); return { js: "module.exports = (robot) => robot.hear(/ok/, (msg) => { msg.send(`mine`) })" }'))) {
        files[`node_modules/coffee-script/${name}`] = text;
    }
    const host = await hostWith(t, files);
    assert.deepStrictEqual(await host.hear('ok'), [['send', 'mine']]);
    assert.deepStrictEqual(await host.hear('two'), [['send', 'two']]);
});

test('require and import of other files, packages and CoffeeScript', async (t) => {
    const host = await hostWith(t, {
        'a.coffee': "helper = require './lib/helper'\n{TextMessage} = require 'hubot/src/message'\nlist = require 'list'\nmodule.exports = (robot) ->\n  robot.hear /a/, (msg) -> msg.send helper(list.length), \"#{msg.message instanceof TextMessage}\"\n",
        'lib/helper.coffee': 'module.exports = (x) -> "helped #{x}"\n',
        'node_modules/list/index.js': 'module.exports = [1, 2, 3]',
        'b.js': "import { helper } from './lib/helper.mjs'\nimport { Response } from 'hubot'\nexport default (robot) => { robot.hear(/b/, (res) => res.send(helper(res instanceof Response))) }\n",
        'lib/helper.mjs': 'export const helper = (x) => `esm ${x}`',
        'c.js': "const HttpClient = require('scoped-http-client')\nmodule.exports = (robot) => { robot.hear(/c/, (res) => res.send(typeof HttpClient.create)) }\n",
        'd.cjs': 'module.exports = (robot) => { robot.hear(/d/, (res) => res.send("cjs")) }\n',
        'e.js': 'exports.default = (robot) => { robot.hear(/e/, (res) => res.send("exported")) }\n',
    });
    assert.deepStrictEqual(host.of('script').filter(({ error }) => error), []);
    assert.deepStrictEqual(await host.hear('a'), [['send', 'helped 3', 'true']]);
    assert.deepStrictEqual(await host.hear('b'), [['send', 'esm true']]);
    assert.deepStrictEqual(await host.hear('c'), [['send', 'function']]);
    assert.deepStrictEqual(await host.hear('d'), [['send', 'cjs']]);
    assert.deepStrictEqual(await host.hear('e'), [['send', 'exported']]);
});

test('a folder whose package.json makes .js files ES modules', async (t) => {
    const host = await hostWith(t, {
        'package.json': '{"type": "module"}',
        'a.js': 'export default async (robot) => { robot.hear(/a/, async (res) => { await res.send("module") }) }',
    });
    assert.deepStrictEqual(await host.hear('a'), [['send', 'module']]);
});

test('packages of external-scripts.json, as a list and with options', async (t) => {
    const made = folder(t, {
        'node_modules/hubot-one/index.coffee': "path = require 'path'\nmodule.exports = (robot, scripts) ->\n  robot.loadFile path.resolve(__dirname, 'src'), 'one.coffee'\n  robot.logger.info \"options #{JSON.stringify scripts} #{arguments.length}\"\n",
        'node_modules/hubot-one/package.json': '{"name": "hubot-one", "main": "index.coffee"}',
        'node_modules/hubot-one/src/one.coffee': `# Commands:\n#   hubot one - One\n${coffee}`,
    });
    for (const [packages, text] of [[['hubot-one', 'hubot-missing'], 'options undefined 1'], [{ 'hubot-one': ['x'] }, 'options ["x"] 2']]) {
        const host = new Driver();
        t.after(() => host.stop());
        await host.start([], { external: { folder: made, packages } });
        await host.next({ type: 'log', text });
        assert.deepStrictEqual((await host.next({ type: 'script', id: 'one.coffee' })).commands, ['hubot one - One']);
        assert.strictEqual((await host.next({ type: 'script', id: 'hubot-one' })).error, undefined);
        assert.strictEqual((await host.next({ type: 'loading', script: 'hubot-one' })).package, 'hubot-one');
        if (Array.isArray(packages)) {
            assert.match((await host.next({ type: 'script', id: 'hubot-missing' })).error.message, /the package hubot-missing isn't installed in .*npm install hubot-missing/);
        }
        await host.stop();
    }
});

test("classes compiled by CoffeeScript 1 can extend Hubot's", async (t) => {
    // The form of its output: the parent's constructor is called without `new`.
    const host = await hostWith(t, {
        'a.js': `var __extends = function (child, parent) { for (var key in parent) { child[key] = parent[key] } function ctor () { this.constructor = child } ctor.prototype = parent.prototype; child.prototype = new ctor(); child.__super__ = parent.prototype; return child };
var hubot = require('hubot');
var Shout = (function (_super) {
  __extends(Shout, _super);
  function Shout () { return Shout.__super__.constructor.apply(this, arguments); }
  Shout.prototype.loud = function () { return this.text.toUpperCase(); };
  return Shout;
})(hubot.TextMessage);
var Quiet = (function (_super) {
  __extends(Quiet, _super);
  function Quiet (robot) { Quiet.__super__.constructor.call(this, robot); this.quiet = true; }
  return Quiet;
})(hubot.Adapter);
module.exports = function (robot) {
  robot.hear(/a/, function (msg) {
    var shout = new Shout(msg.message.user, 'hello', '1');
    var quiet = new Quiet(robot);
    quiet.on('x', function () { msg.send('event'); });
    quiet.emit('x');
    msg.send(shout.loud() + (shout instanceof hubot.Message) + quiet.quiet + (quiet.robot === robot));
  });
};`,
    });
    assert.deepStrictEqual(await host.hear('a'), [['send', 'event'], ['send', 'HELLOtruetruetrue']]);
});

test('what CoffeeScript 1 accepted and 2 does not', async (t) => {
    const host = await hostWith(t, {
        'tabs.coffee': 'module.exports = (robot) ->\n  robot.hear /tabs/, (msg) ->\n\t  msg.send "tabs"\n',
        'empty.coffee': "module.exports = (robot) ->\n  robot.hear /empty/, (msg) ->\n    msg.send 'abc'.split(//).join '-'\n",
        'wrong.coffee': 'module.exports = (robot) ->\n  robot.hear /x/, (msg) ->\n      msg.send "a"\n    msg.send "b"\n',
    });
    assert.deepStrictEqual(await host.hear('tabs empty'), [['send', 'tabs'], ['send', 'a-b-c']]);
    assert.strictEqual((await host.next({ type: 'script', id: 'wrong.coffee' })).error !== undefined, true);
});
