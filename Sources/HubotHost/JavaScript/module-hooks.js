'use strict';

const fs = require('fs');
const Module = require('module');
const { pathToFileURL } = require('url');
const path = require('path');
const coffeescript = require('./coffeescript');

let importsReady = false;

/** Makes `require` find Hubot's classes, and CoffeeScript files. */
function hookRequire() {
    const load = Module._load;
    Module._load = function loadModule(request, parent, isMain) {
        if (request === 'hubot' || /^hubot\/(src|lib|es2015|index)\b/.test(request)) {
            return hubotModule(request);
        }
        if (!request.startsWith('.') && !request.startsWith('/') && fallbacks.has(request) && !exists(request, parent)) {
            return fallbacks.get(request)();
        }
        return load.call(this, request, parent, isMain);
    };
    for (const extension of coffeescript.extensions) {
        Module._extensions[extension] = (module, file) => {
            module._compile(coffeescript.compile(file, fs.readFileSync(file, 'utf8')), file);
        };
    }
}

// Modules that Hubot brought along, so scripts have them without installing them.
const fallbacks = new Map([
    ['scoped-http-client', () => require('./http-client')],
    ['express', () => require('./express')],
    ['body-parser', () => require('./express').bodyParser],
    ['coffee-script/register', () => ({})],
    ['coffeescript/register', () => ({})],
]);

/** Whether `require` gives something for this name that needn't be installed. */
function isProvided(name) {
    return name === 'hubot' || name.startsWith('hubot/') || fallbacks.has(name);
}

function exists(request, parent) {
    try {
        Module._resolveFilename(request, parent, false);
        return true;
    } catch {
        return false;
    }
}

/** Hubot's module, or the one file of it that is meant, such as `hubot/src/message`. */
function hubotModule(request) {
    const hubot = require('./hubot');
    const name = path.basename(request).replace(/\.(js|mjs|coffee)$/, '').toLowerCase();
    switch (name) {
    case 'message': return require('./message-classes');
    case 'listener': return require('./listener');
    case 'datastore': return require('./abstract-datastore');
    case 'httpclient': return require('./http-client');
    default: {
        const found = Object.keys(hubot).find((key) => key.toLowerCase() === name);
        return found === undefined ? hubot : hubot[found];
    }
    }
}

/** Makes `import … from 'hubot'` find Hubot's classes. It takes a thread of Node's, so it happens with the first ES module. */
function hookImport() {
    if (importsReady) {
        return;
    }
    importsReady = true;
    // Node 18.19 and newer have it.
    Module.register?.('./import-hook.mjs', pathToFileURL(__filename));
}

module.exports = { isProvided, hookRequire, hookImport };
