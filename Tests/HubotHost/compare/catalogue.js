'use strict';

const fs = require('fs');
const { builtinModules } = require('module');
const path = require('path');

const own = new Set([...builtinModules, 'hubot', 'scoped-http-client', 'sys']);

/** The npm packages that a script needs. */
function packagesOf(file) {
    const source = fs.readFileSync(file, 'utf8').replace(/^\s*(#|\/\/).*$/gm, '');
    const names = [...source.matchAll(/\brequire\s*\(?\s*(['"])([^'"]+)\1/g)].map((found) => found[2]);
    const dynamic = /\brequire\s*\(?\s*[^'"\s(]/.test(source.replace(/\brequire\s*\(?\s*(['"])[^'"]+\1/g, '').replace(/require\.\w+/g, ''));
    const others = names.filter((name) => !own.has(name.replace(/^node:/, '').split('/')[0]));
    return dynamic ? [...others, 'a computed name'] : others;
}

/** The scripts of a folder, by name. */
const scriptsIn = (folder) => fs.readdirSync(folder).filter((file) => /\.(coffee|js)$/.test(file)).sort().map((file) => path.join(folder, file));

/** Those that need no npm package. */
const scriptsWithoutPackages = (folder) => scriptsIn(folder).filter((file) => packagesOf(file).length === 0);

module.exports = { scriptsIn, scriptsWithoutPackages };
