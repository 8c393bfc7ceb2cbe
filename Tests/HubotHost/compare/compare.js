'use strict';

// Compares this host with a real Hubot 3.3.2, for the scripts of a catalogue that need no npm package: whether a script loads,
// its listeners with their regular expressions, and its help lines. Not part of the tests, since both must be brought here:
//
//     HUBOT_DIR=…/node_modules/hubot SCRIPTS_DIR=…/hubot-scripts/src/scripts node Tests/HubotHost/compare/compare.js [--verbose]
//
// It exits with 1 if less than 95 % of the scripts that the real Hubot loads are equal here.

const childProcess = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Driver } = require('../driver');
const { scriptsIn, scriptsWithoutPackages } = require('./catalogue');

const { HUBOT_DIR, SCRIPTS_DIR } = process.env;
if (!HUBOT_DIR || !SCRIPTS_DIR) {
    console.error('compare: HUBOT_DIR and SCRIPTS_DIR must name the folders of a Hubot 3.3.2 and of a catalogue of scripts');
    process.exit(64);
}
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-'));
process.on('exit', () => fs.rmSync(cache, { recursive: true, force: true }));

function real(file) {
    return new Promise((resolve) => {
        childProcess.execFile(process.execPath, ['--no-deprecation', path.join(__dirname, 'real.js'), HUBOT_DIR, file], { timeout: 60000, maxBuffer: 1 << 26 }, (_error, output, errors) => {
            const last = output.trim().split('\n').pop();
            try {
                resolve(JSON.parse(last));
            } catch {
                resolve({ loaded: false, error: errors.slice(-300), listeners: [], help: [] });
            }
        });
    });
}

async function here(file) {
    const driver = new Driver({ cwd: path.dirname(file), env: { NODE_OPTIONS: '--no-deprecation' } });
    try {
        await driver.start([file], { cache, logLevel: 'error' });
        const script = driver.of('script')[0];
        const listeners = driver.listeners().map(({ kind, pattern, flags }) => (pattern === undefined ? kind : `${kind} /${pattern}/${flags}`));
        return { loaded: script.error === undefined, error: script.error?.message, listeners, help: script.commands };
    } finally {
        await driver.stop();
    }
}

/** A listener of the real Hubot, in the same words as here. */
function worded(listener) {
    const respond = /^\/\^\\s\*\[@\]\?Hubot\[:,\]\?\\s\*\(\?:([^]*)\)\/(\w*)$/.exec(listener);
    if (respond) {
        return `respond /${respond[1]}/${respond[2]}`;
    }
    return listener.startsWith('/') ? `hear ${listener}` : 'listen';
}

/** Why two results differ, or null. */
function difference(one, other) {
    if (one.loaded !== other.loaded) {
        return one.loaded ? `loads only in Hubot: ${other.error}` : `loads only here; in Hubot: ${one.error}`;
    }
    if (!one.loaded) {
        return null;
    }
    const kinds = (listener) => (listener.includes('/') ? listener : 'listen');
    // The compilers write a slash in a character class differently.
    const plain = (listener) => listener.replace(/\\\//g, '/');
    const [left, right] = [one.listeners.map(worded).map(plain), other.listeners.map(kinds).map(plain)];
    if (left.join('\n') !== right.join('\n')) {
        return `other listeners: ${left.length} and ${right.length}: ${left.find((text, index) => text !== right[index])} | ${right.find((text, index) => text !== left[index])}`;
    }
    if (one.help.join('\n') !== other.help.join('\n')) {
        return `other help lines: ${one.help.length} and ${other.help.length}`;
    }
    return null;
}

async function main() {
    const files = scriptsIn(SCRIPTS_DIR);
    const chosen = scriptsWithoutPackages(SCRIPTS_DIR);
    const rows = new Map();
    let next = 0;
    const work = async () => {
        while (next < chosen.length) {
            const file = chosen[next];
            next += 1;
            rows.set(file, [await real(file), await here(file)]);
        }
    };
    await Promise.all([work(), work()]);
    let [loaded, equal, listeners, help] = [0, 0, 0, 0];
    const differences = [];
    for (const file of chosen) {
        const [one, other] = rows.get(file);
        const found = difference(one, other);
        if (one.loaded) {
            loaded += 1;
            listeners += one.listeners.length;
            help += one.help.length;
            equal += found === null ? 1 : 0;
        }
        if (found !== null) {
            differences.push(`${path.basename(file)}: ${found}`);
        } else if (process.argv.includes('--verbose')) {
            console.log(`${path.basename(file)}: ${one.loaded ? `${one.listeners.length} listeners, ${one.help.length} help lines` : `doesn't load: ${one.error} | ${other.error}`}`);
        }
    }
    console.log(differences.join('\n'));
    console.log(`${files.length} scripts, of which ${chosen.length} need no package; Hubot loads ${loaded} with ${listeners} listeners and ${help} help lines`);
    console.log(`${equal} of ${loaded} are equal here (${((100 * equal) / loaded).toFixed(1)} %); ${differences.length} differences`);
    process.exitCode = loaded > 0 && equal >= 0.95 * loaded ? 0 : 1;
}

main();
