'use strict';

const fs = require('fs');
const Module = require('module');
const path = require('path');
const limits = require('./limits');
const { isProvided } = require('./module-hooks');

/**
 * What a script needs from its surroundings, found by reading its files: environment variables and packages.
 * @param {string} file the script
 * @returns {{environment: {name: string, set: boolean, optional: boolean}[], missing: string[]}} `optional`: the script has a
 *   value of its own; `missing`: packages that aren't installed
 */
function requirementsOf(file) {
    const variables = new Map();
    const missing = new Set();
    for (const one of filesOf(file)) {
        const source = sourceOf(one);
        for (const [name, optional] of variablesIn(source)) {
            variables.set(name, optional || variables.get(name) === true);
        }
        const load = Module.createRequire(one);
        for (const name of packagesIn(source)) {
            if (!isInstalled(name, load)) {
                missing.add(name);
            }
        }
    }
    const environment = [...variables].slice(0, limits.requirements).map(([name, optional]) => ({ name, set: process.env[name] !== undefined, optional }));
    return { environment, missing: [...missing].slice(0, limits.requirements) };
}

/** A script's own files: those that it has required by relative paths, directly or indirectly. */
function filesOf(file) {
    const files = new Set([file]);
    const folder = path.dirname(file);
    for (const one of files) {
        for (const { filename } of require.cache[one]?.children ?? []) {
            const inside = path.relative(folder, filename ?? '').split(path.sep);
            if (filename && !inside.includes('node_modules') && /\.(c?js|mjs|coffee|litcoffee|ts)$/.test(filename) && files.size < limits.requirements) {
                files.add(filename);
            }
        }
    }
    return files;
}

/** The text without comments that take whole lines. */
function sourceOf(file) {
    try {
        return fs.readFileSync(file, 'utf8').slice(0, limits.source).replace(/^\s*(#(?!!|\{)|\/\/|\*).*$/gm, '');
    } catch {
        return '';
    }
}

/** The names of environment variables, and whether the script has a value of its own. */
function variablesIn(source) {
    const found = [];
    for (const [, name, , other, rest] of source.matchAll(/\bprocess\.env(?:\??\.(\w+)|\??\.?\[\s*(['"])(\w+)\2\s*\])([^\n]*)/g)) {
        found.push([name ?? other, /^\s*(\|\||\?\?|\?(?!\.)|or\b|\|\|=|or=)/.test(rest)]);
        // Several in one line.
        found.push(...variablesIn(rest));
    }
    for (const [, names] of source.matchAll(/\{([^{}]*)\}\s*=\s*process\.env\b(?!\.|\[)/g)) {
        for (const part of names.split(/[,\n]/)) {
            const name = /^\s*(\w+)\s*(?::\s*\w+\s*)?(=)?/.exec(part);
            if (name) {
                found.push([name[1], name[2] !== undefined]);
            }
        }
    }
    return found;
}

/** The packages that are required or imported by a fixed name. */
function packagesIn(source) {
    const names = new Set();
    for (const [, , name] of source.matchAll(/\b(?:require\s*\(?|from|import\s*\(?)\s*(['"])([^'"\n]+)\1/g)) {
        const isPackage = /^(@[\w.~-]+\/)?[\w.~-]+(\/|$)/.test(name) && !name.startsWith('.') && !name.startsWith('node:');
        const own = name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/');
        if (isPackage && !Module.builtinModules.includes(own) && !isProvided(name)) {
            names.add(own);
        }
    }
    return names;
}

function isInstalled(name, load) {
    // A package need not have a file that `require` finds.
    return (load.resolve.paths(name) ?? []).some((folder) => fs.existsSync(path.join(folder, name)));
}

module.exports = { requirementsOf, variablesIn, packagesIn };
