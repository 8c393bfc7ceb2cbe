'use strict';

// Says something to every listener of the scripts of a catalogue, in a real Hubot 3.3.2 and in this host, and compares what they
// send. Time, chance and the web are frozen in both (frozen.js). The texts are made from the listeners' regular expressions
// (regex-text.js). Not part of the tests, since both must be brought here:
//
//     HUBOT_DIR=…/node_modules/hubot SCRIPTS_DIR=…/hubot-scripts/src/scripts node Tests/HubotHost/compare/answers.js [SCRIPT…]
//
// It exits with 1 if less than 95 % of the exchanges are equal.

const childProcess = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Driver } = require('../driver');
const { scriptsWithoutPackages } = require('./catalogue');
const { textFor } = require('./regex-text');

const { HUBOT_DIR, SCRIPTS_DIR } = process.env;
if (!HUBOT_DIR || !SCRIPTS_DIR) {
    console.error('answers: HUBOT_DIR and SCRIPTS_DIR must name the folders of a Hubot 3.3.2 and of a catalogue of scripts');
    process.exit(64);
}
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-'));
process.on('exit', () => fs.rmSync(cache, { recursive: true, force: true }));
const env = { ...process.env, NODE_OPTIONS: `--no-deprecation --require ${path.join(__dirname, 'frozen.js')}` };
const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

function real(file, texts) {
    return new Promise((resolve) => {
        childProcess.execFile(process.execPath, [path.join(__dirname, 'real-answers.js'), HUBOT_DIR, file, JSON.stringify(texts)], { env, timeout: 120000, maxBuffer: 1 << 26 }, (_error, output) => {
            try {
                resolve(JSON.parse(output.trim().split('\n').pop()));
            } catch {
                resolve(null);
            }
        });
    });
}

/** What this host sends for each text, and the texts; null if the script doesn't load. */
async function here(file) {
    const driver = new Driver({ cwd: path.dirname(file), env });
    try {
        await driver.start([file], { cache, logLevel: 'critical' });
        if (driver.of('script')[0].error) {
            return null;
        }
        const texts = [];
        let skipped = 0;
        for (const { kind, pattern, flags } of driver.listeners()) {
            const text = pattern === undefined ? null : textFor(pattern, flags);
            if (text === null) {
                skipped += 1;
            } else {
                texts.push(kind === 'respond' ? `Hubot ${text}` : text);
            }
        }
        const answers = [];
        for (const text of texts) {
            const first = driver.received.length;
            await Promise.race([driver.hear(text), wait(2000)]);
            await wait(150);
            answers.push(driver.received.slice(first).filter(({ type }) => type === 'send').map(({ kind, strings }) => [kind, ...strings]));
        }
        return { texts, answers, skipped };
    } catch {
        return null;
    } finally {
        await driver.stop();
    }
}

/** The real Hubot calls its adapter once for several strings; here they may come in several messages. */
const flat = (sent) => JSON.stringify(sent.flatMap(([kind, ...strings]) => strings.map((text) => [kind, text])));

async function main() {
    const wanted = process.argv.slice(2);
    const files = scriptsWithoutPackages(SCRIPTS_DIR).filter((file) => wanted.length === 0 || wanted.includes(path.basename(file)));
    const rows = new Map();
    let next = 0;
    const work = async () => {
        while (next < files.length) {
            const file = files[next];
            next += 1;
            const own = await here(file);
            rows.set(file, [own && own.texts.length > 0 ? await real(file, own.texts) : null, own]);
        }
    };
    await Promise.all([work(), work()]);
    let [scripts, exchanges, equal, answered, skipped] = [0, 0, 0, 0, 0];
    for (const file of files) {
        const [other, own] = rows.get(file);
        if (!own || !other) {
            continue;
        }
        scripts += 1;
        skipped += own.skipped;
        own.texts.forEach((text, index) => {
            exchanges += 1;
            answered += other[index].length > 0 ? 1 : 0;
            if (flat(own.answers[index]) === flat(other[index])) {
                equal += 1;
            } else {
                console.log(`${path.basename(file)}: ${JSON.stringify(text)}\n    Hubot: ${flat(other[index]).slice(0, 300)}\n    here:  ${flat(own.answers[index]).slice(0, 300)}`);
            }
        });
    }
    console.log(`${scripts} scripts, ${exchanges} exchanges (Hubot answers ${answered}), ${skipped} listeners without a text`);
    console.log(`${equal} of ${exchanges} are equal (${((100 * equal) / exchanges).toFixed(1)} %)`);
    process.exitCode = exchanges > 0 && equal >= 0.95 * exchanges ? 0 : 1;
}

main();
