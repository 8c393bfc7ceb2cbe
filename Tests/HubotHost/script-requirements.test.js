'use strict';

// What scripts need: environment variables, and packages.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

const sources = path.join(__dirname, '../../Sources/HubotHost/JavaScript');
const { variablesIn, packagesIn } = require(path.join(sources, 'script-requirements'));

test('environment variables in the ways of scripts', () => {
    const of = (source) => Object.fromEntries(variablesIn(source));
    assert.deepStrictEqual(of('key = process.env.A\nb = process.env["B"] or "x"\nc = process.env[\'C\'] || 1'), { A: false, B: true, C: true });
    assert.deepStrictEqual(of('process.env.A ?= 1; x = process.env.B ? 2 : 3; y = process.env.C ?? 4; z = process.env?.D'), { A: true, B: true, C: true, D: false });
    assert.deepStrictEqual(of('const { A, B = 2, C: other, D: odd = 3 } = process.env'), { A: false, B: true, C: false, D: true });
    assert.deepStrictEqual(of('{A, B} = process.env\nunless process.env.C? and process.env.D'), { A: false, B: false, C: true, D: false });
    assert.deepStrictEqual(of('for name of process.env\n  x = process.env[name]'), {});
});

test('packages in the ways of scripts', () => {
    const of = (source) => [...packagesIn(source)];
    assert.deepStrictEqual(of('a = require "underscore"\nb = require(\'@x/y/z\')\nc = require("fs")\nd = require "./e"\nf = require("node:path")\ng = require name'), ['underscore', '@x/y']);
    assert.deepStrictEqual(of('import a from "b/c"\nimport "d"\nconst e = await import(\'f\')\nimport { Robot } from "hubot"\nrequire("hubot/src/user")\nrequire("express")'), ['b', 'd', 'f']);
});

test('a script is announced with what it needs, and a missing package is named', async (t) => {
    const host = await hostWith(t, {
        'a.coffee': '# reads process.env.NOT_THIS\n{helper} = require "./lib/helper"\nmodule.exports = (robot) ->\n  key = process.env.SET_KEY\n  robot.hear /x/, -> require "later"\n',
        'lib/helper.js': 'exports.helper = process.env.HELPER_URL || "http://x"; require("installed")',
        'node_modules/installed/index.js': 'process.env.NOT_THAT',
        'b.js': 'const _ = require("nothing-here"); const m = require("nothing-there/x"); module.exports = () => process.env.UNSET',
        'c.mjs': 'import x from "nothing-esm"\nexport default () => {}\n',
        'd.js': 'module.exports = () => {}',
    }, { external: { folder: '/nowhere', packages: ['hubot-nothing'] } }, { env: { SET_KEY: '1', HELPER_URL: '' } });
    const [a, b, c, d, external] = host.of('script');
    assert.deepStrictEqual(a.environment, [{ name: 'SET_KEY', set: true, optional: false }, { name: 'HELPER_URL', set: true, optional: true }]);
    assert.deepStrictEqual([a.missing, a.error], [['later'], undefined]);
    assert.deepStrictEqual([b.missing, b.error.message, b.error.line], [['nothing-here', 'nothing-there'], "it needs packages that aren't installed: npm install nothing-here nothing-there", 1]);
    assert.deepStrictEqual(b.environment, [{ name: 'UNSET', set: false, optional: false }]);
    assert.deepStrictEqual([c.missing, /npm install nothing-esm/.test(c.error.message)], [['nothing-esm'], true]);
    assert.deepStrictEqual([d.missing, d.environment], [undefined, undefined]);
    assert.deepStrictEqual([external.id, external.missing], ['hubot-nothing', ['hubot-nothing']]);
});

test("a Hubot's folder: scripts, packages with their own scripts, and node_modules", async (t) => {
    const made = folder(t, {
        'scripts/one.coffee': 'words = require "words"\nmodule.exports = (robot) ->\n  robot.respond /one/, (msg) -> msg.send words.one\n',
        'node_modules/words/package.json': '{"name":"words","main":"lib/words.js"}',
        'node_modules/words/lib/words.js': 'exports.one = "un"',
        'node_modules/hubot-pack/package.json': '{"name":"hubot-pack","main":"index.coffee"}',
        'node_modules/hubot-pack/index.coffee': [
            'fs = require "fs"', 'path = require "path"', 'module.exports = (robot, scripts) ->', '  folder = path.resolve __dirname, "src"',
            '  for script in fs.readdirSync(folder)', '    robot.loadFile folder, script if scripts is "*" or script in scripts', '',
        ].join('\n'),
        'node_modules/hubot-pack/src/two.coffee': '# Commands:\n#   hubot two - Says it\nmodule.exports = (robot) ->\n  robot.respond /two/, (msg) -> msg.send process.env.PACK_TWO or "deux"\n',
        'node_modules/hubot-pack/src/three.coffee': 'module.exports = (robot) ->\n  robot.respond /three/, ->\n',
        'node_modules/hubot-scripts/src/scripts/old.coffee': 'module.exports = (robot) ->\n  robot.respond /old/, (msg) -> msg.send "old"\n',
    });
    const host = new Driver({ cwd: made });
    t.after(() => host.stop());
    await host.start([path.join(made, 'scripts/one.coffee'), path.join(made, 'node_modules/hubot-scripts/src/scripts/old.coffee')], {
        external: { folder: made, packages: { 'hubot-pack': ['two.coffee'] } },
    });
    assert.deepStrictEqual(await host.hear('hubot one'), [['send', 'un']]);
    assert.deepStrictEqual(await host.hear('hubot two'), [['send', 'deux']]);
    assert.deepStrictEqual(await host.hear('hubot old'), [['send', 'old']]);
    assert.deepStrictEqual(host.of('script').map(({ id }) => id), ['one.coffee', 'old.coffee', 'two.coffee', 'hubot-pack']);
    const two = await host.next({ type: 'script', id: 'two.coffee' });
    assert.deepStrictEqual([two.commands, two.environment], [['hubot two - Says it'], [{ name: 'PACK_TWO', set: false, optional: true }]]);
});
