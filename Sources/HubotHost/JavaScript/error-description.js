'use strict';

const childProcess = require('child_process');
const { inspect } = require('util');
const coffeescript = require('./coffeescript');
const limits = require('./limits');

/** Thrown by `process.exit`, so that a script ends there. */
class ExitCalled extends Error {}

/**
 * Describes what a script has thrown, with the line in its own source.
 * @param {any} thrown
 * @param {string} [path] the script's file, whose line is wanted
 * @returns {{message: string, stack: string, file?: string, line?: number}}
 */
function describe(thrown, path) {
    const isError = thrown instanceof Error || (thrown !== null && typeof thrown === 'object' && typeof thrown.message === 'string');
    const message = textOf(isError ? thrown.message || thrown.name || 'Error' : inspect(thrown, { depth: 1 }));
    let stack = isError ? String(thrown.stack ?? '') : '';
    stack = coffeescript.originalLines(stack);
    const place = placeOf(thrown, stack, path);
    return {
        message: message.slice(0, limits.error),
        stack: stack.slice(0, limits.stack),
        ...place,
    };
}

function textOf(message) {
    try {
        return String(message);
    } catch {
        return 'unknown error';
    }
}

/** The file and line of an error: what the compiler says, or the first line of the stack that is in the script. */
function placeOf(thrown, stack, path) {
    const location = thrown?.location;
    if (location && typeof location.first_line === 'number') {
        return { file: path ?? thrown.filename, line: location.first_line + 1 };
    }
    for (const line of stack.split('\n')) {
        const found = /(?:\(|at |^)(?:async )?(?:file:\/\/)?(\/[^():]+):(\d+)(?::\d+)?\)?$/.exec(line.trim());
        if (found && (path === undefined ? isScript(found[1]) : found[1] === path)) {
            return { file: found[1], line: Number(found[2]) };
        }
    }
    return thrown instanceof SyntaxError && /\.m[jt]s$/.test(path ?? '') ? checkedPlace(path) : {};
}

/** Node doesn't tell where the syntax error of an imported ES module is, but prints it when it checks the file. */
function checkedPlace(path) {
    const { stderr } = childProcess.spawnSync(process.execPath, ['--check', path], { encoding: 'utf8', timeout: 5000 });
    const found = /^(?:file:\/\/)?(\/[^\n]+):(\d+)\n/.exec(stderr ?? '');
    return found ? { file: path, line: Number(found[2]) } : {};
}

function isScript(file) {
    return !file.startsWith(__dirname + '/') && !file.startsWith('node:');
}

/** The files named in a stack, the innermost first. */
function filesOf(stack) {
    return [...String(stack).matchAll(/(?:file:\/\/)?(\/[^():\n]+):\d+/g)].map((found) => found[1]);
}

module.exports = { ExitCalled, describe, filesOf };
