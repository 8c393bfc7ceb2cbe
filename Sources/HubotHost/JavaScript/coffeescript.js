'use strict';

const crypto = require('crypto');
const fs = require('fs');
const Module = require('module');
const path = require('path');
const repair = require('./coffeescript-repair');

// Changes whenever the cached form does.
const cacheVersion = 2;
const names = ['coffeescript', 'coffee-script'];
// Where Debian's package coffeescript is.
const systemFolders = ['/usr/share/nodejs', '/usr/lib/nodejs', '/usr/local/lib/node_modules', '/usr/lib/node_modules'];
const extensions = ['.coffee', '.litcoffee', '.coffee.md'];

let cacheFolder = null;
let searchFolders = [];
let onProblem = () => {};
const compilers = new Map();
// The source maps of compiled files, by path.
const maps = new Map();

/**
 * @param {{cache?: string|null, folders?: string[], problem?: (text: string) => void}} options where to keep what is compiled,
 *     where to look for the compiler, and what to call if the cache can't be written
 */
function configure({ cache = null, folders = [], problem = () => {} }) {
    cacheFolder = cache;
    searchFolders = folders;
    onProblem = problem;
    if (cacheFolder !== null) {
        try {
            fs.mkdirSync(cacheFolder, { recursive: true });
        } catch (error) {
            onProblem(`compiled CoffeeScript can't be cached: ${error.message}`);
            cacheFolder = null;
        }
    }
}

/** Whether a file is CoffeeScript. */
function isCoffee(file) {
    return extensions.some((extension) => file.endsWith(extension));
}

/**
 * Compiles a file, or takes what was compiled from the same source before.
 * @param {string} file
 * @param {string} source
 * @returns {string} JavaScript
 */
function compile(file, source) {
    const candidates = compilersFor(file);
    if (candidates.length === 0) {
        throw new Error('CoffeeScript isn\'t installed: install the package coffeescript with npm or apt-get');
    }
    const literate = !file.endsWith('.coffee');
    let firstError;
    for (const compiler of candidates) {
        const key = crypto.createHash('sha256')
            .update([cacheVersion, compiler.version, literate, source].join('\0')).digest('hex');
        try {
            const result = cached(key) ?? store(key, compileWith(compiler, file, source, literate));
            maps.set(file, result.map);
            return result.js;
        } catch (error) {
            // The error of the first compiler counts, since it is the script's own.
            firstError ??= error;
        }
    }
    throw firstError;
}

function compileWith(compiler, file, source, literate) {
    compiler.module ??= require(compiler.entry);
    const options = { filename: file, sourceMap: true, literate, bare: false };
    let text = source.replace(/^\ufeff/, '');
    let firstError;
    for (let repairs = 0; ; repairs += 1) {
        try {
            const { js, v3SourceMap } = compiler.module.compile(text, options);
            return { js, map: v3SourceMap ?? null };
        } catch (error) {
            firstError ??= error;
            const repaired = repairs < 10 ? repair(text, error) : null;
            if (repaired === null) {
                throw firstError;
            }
            text = repaired;
        }
    }
}

function cached(key) {
    if (cacheFolder === null) {
        return null;
    }
    try {
        const [js, map] = fs.readFileSync(path.join(cacheFolder, `${key}.js`), 'utf8').split('\n//# map ');
        return map === undefined ? null : { js, map };
    } catch {
        return null;
    }
}

function store(key, result) {
    if (cacheFolder !== null) {
        const file = path.join(cacheFolder, `${key}.js`);
        try {
            fs.writeFileSync(`${file}.${process.pid}`, `${result.js}\n//# map ${result.map ?? ''}`);
            fs.renameSync(`${file}.${process.pid}`, file);
        } catch (error) {
            onProblem(`compiled CoffeeScript can't be cached: ${error.message}`);
            cacheFolder = null;
        }
    }
    return result;
}

/** The compilers for a file: those of its own folder first, then the given folders', then the system's. */
function compilersFor(file) {
    const folder = path.dirname(file);
    if (compilers.has(folder)) {
        return compilers.get(folder);
    }
    const folders = [...Module._nodeModulePaths(folder)];
    for (const given of searchFolders) {
        folders.push(given, path.join(given, 'node_modules'));
    }
    folders.push(...(process.env.NODE_PATH ?? '').split(path.delimiter).filter(Boolean), ...systemFolders);
    const found = [];
    for (const parent of folders) {
        for (const name of names) {
            const compiler = compilerIn(path.join(parent, name));
            // Debian's coffee-script is coffeescript by another name.
            if (compiler && !found.some((other) => other.version === compiler.version)) {
                found.push(compiler);
            }
        }
    }
    compilers.set(folder, found);
    return found;
}

function compilerIn(folder) {
    try {
        const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
        return { version, entry: folder, module: null };
    } catch {
        return null;
    }
}

/**
 * Replaces the lines of compiled files in a stack by those of their CoffeeScript.
 * @param {string} stack
 */
function originalLines(stack) {
    return stack.replace(/(\/[^():\n]+\.(?:coffee|litcoffee|md)):(\d+):(\d+)/g, (place, file, line, column) => {
        const entry = findEntry(sourceMap(file), Number(line) - 1, Number(column) - 1);
        return entry?.originalLine === undefined ? place : `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
}

/** What a position comes from. The position of `return` has no entry of its own, but what it returns has. */
function findEntry(map, line, column) {
    for (let after = column; map && after < column + 80; after += 1) {
        const entry = map.findEntry(line, after);
        if (entry?.generatedLine === line) {
            return entry;
        }
    }
    return map?.findEntry(line, column);
}

function sourceMap(file) {
    const map = maps.get(file);
    if (typeof map !== 'string' || map === '') {
        return null;
    }
    try {
        return new Module.SourceMap(JSON.parse(map));
    } catch {
        return null;
    }
}

module.exports = { configure, isCoffee, compile, originalLines, extensions };
