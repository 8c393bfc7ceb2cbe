'use strict';

const childProcess = require('child_process');
const { Readable, Writable } = require('stream');
const { StringDecoder } = require('string_decoder');
const { takeOutput } = require('./printed-output');

/**
 * Takes standard input and output for the protocol. What scripts print goes to a function instead, line by line.
 * @param {(line: string) => void} printed
 * @returns {{input: import('stream').Readable, output: number}}
 */
function takeStreams(printed) {
    const input = process.stdin;
    replace(process, 'stdin', new Readable({ read() { this.push(null); } }));
    const lines = new LinePrinter(printed);
    const output = new Writable({
        decodeStrings: true,
        write(bytes, _encoding, done) {
            lines.add(bytes);
            done();
        },
    });
    output.isTTY = false;
    output.fd = 1;
    // Immediately, so that what a script prints before an endless loop isn't lost.
    output.write = (bytes, encoding, done) => {
        lines.add(typeof bytes === 'string' ? Buffer.from(bytes, typeof encoding === 'string' ? encoding : 'utf8') : Buffer.from(bytes));
        const callback = typeof encoding === 'function' ? encoding : done;
        if (callback) {
            process.nextTick(callback);
        }
        return true;
    };
    replace(process, 'stdout', output);
    takeOutput((bytes) => lines.add(bytes));
    protectChildren();
    return { input, output: 1 };
}

/** Collects what is printed into lines. */
class LinePrinter {
    constructor(printed) {
        this.printed = printed;
        this.decoder = new StringDecoder('utf8');
        this.rest = '';
    }

    add(bytes) {
        const lines = (this.rest + this.decoder.write(bytes)).split('\n');
        this.rest = lines.pop();
        // A text without a line end is printed at last, but not before other text had the chance to follow.
        if (this.rest.length > 8000) {
            lines.push(this.rest);
            this.rest = '';
        } else if (this.rest !== '' && !this.waits) {
            this.waits = true;
            setImmediate(() => {
                this.waits = false;
                if (this.rest !== '') {
                    const text = this.rest;
                    this.rest = '';
                    this.printed(text);
                }
            });
        }
        for (const line of lines) {
            if (line.trim() !== '') {
                this.printed(line);
            }
        }
    }
}

/** A program that inherits its standard streams must get neither the protocol's input nor its output. */
function protectChildren() {
    const safe = (stdio) => {
        const streams = stdio === 'inherit' ? ['inherit', 'inherit', 'inherit'] : stdio;
        if (!Array.isArray(streams)) {
            return streams;
        }
        return streams.map((stream, index) => {
            if ((stream === 'inherit' && index === 0) || stream === 0) {
                return 'ignore';
            }
            // Standard error reaches the robot's log.
            return (stream === 'inherit' && index === 1) || stream === 1 || stream === process.stdout ? 2 : stream;
        });
    };
    for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync']) {
        const original = childProcess[name];
        const wrapped = function start(...values) {
            return original.apply(this, values.map((value) => (
                value && typeof value === 'object' && !Array.isArray(value) && 'stdio' in value ? { ...value, stdio: safe(value.stdio) } : value
            )));
        };
        // `util.promisify` finds the special forms of exec and execFile on the function.
        Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
        childProcess[name] = wrapped;
    }
    const { fork } = childProcess;
    // fork inherits all streams unless it is silent.
    childProcess.fork = function start(module, ...values) {
        const last = values[values.length - 1];
        const options = last && typeof last === 'object' && !Array.isArray(last) ? values.pop() : {};
        const stdio = safe(options.stdio ?? (options.silent ? ['pipe', 'pipe', 'pipe', 'ipc'] : ['ignore', 2, 2, 'ipc']));
        return fork.call(this, module, ...values, { ...options, stdio });
    };
}

/**
 * A script can't end the process, which runs other scripts too, or the robot.
 * @param {(name: string, ...values: any[]) => void} called throws, so that the script doesn't continue
 */
function takeProcess(called) {
    process.exit = (code) => called('process.exit', code);
    process.abort = () => called('process.abort');
    const { kill } = process;
    // This process, the robot, or a group that may contain them.
    const isOurs = (pid) => [process.pid, process.ppid, 0, -1].includes(pid) || [process.pid, process.ppid].includes(-pid);
    process.kill = function killOther(pid, signal) {
        // Signal 0 only asks whether the process exists.
        return isOurs(Number(pid)) && signal !== 0 ? called('process.kill', pid, signal) : kill.call(this, pid, signal);
    };
}

function replace(object, name, value) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true });
}

module.exports = { takeStreams, takeProcess };
