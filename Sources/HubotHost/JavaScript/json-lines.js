'use strict';

const fs = require('fs');

// Scripts may replace these functions, such as when they use a nick as the name of a property.
const json = { stringify: JSON.stringify, parse: JSON.parse };

// Scripts may replace the functions of `fs`, so these are taken at the start.
const writeSync = fs.writeSync;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
let writing = false;

/** Cuts a stream of bytes into lines of JSON. */
class LineReader {
    /**
     * @param {number} limit the longest line, in bytes
     * @param {(line: object) => void} onMessage gets each object
     * @param {(problem: string) => void} onProblem gets a text about each line that was refused
     */
    constructor(limit, onMessage, onProblem) {
        this.limit = limit;
        this.onMessage = onMessage;
        this.onProblem = onProblem;
        this.parts = [];
        this.length = 0;
        this.skipping = false;
    }

    /** Takes the next bytes. */
    push(chunk) {
        let start = 0;
        for (;;) {
            const end = chunk.indexOf(10, start);
            if (end < 0) {
                break;
            }
            this.finishLine(chunk, start, end);
            start = end + 1;
        }
        if (start < chunk.length) {
            this.keep(chunk.subarray(start));
        }
    }

    keep(rest) {
        this.length += rest.length;
        if (this.length > this.limit) {
            this.skipping = true;
            this.parts = [];
        }
        if (!this.skipping) {
            this.parts.push(rest);
        }
    }

    finishLine(chunk, start, end) {
        const tooLong = this.skipping || this.length + end - start > this.limit;
        let text = '';
        if (!tooLong) {
            text = this.parts.length === 0
                ? chunk.toString('utf8', start, end)
                : Buffer.concat([...this.parts, chunk.subarray(start, end)]).toString('utf8');
        }
        this.parts = [];
        this.length = 0;
        this.skipping = false;
        if (tooLong) {
            this.onProblem(`a line from the robot is longer than ${this.limit} bytes`);
            return;
        }
        if (text.trim() === '') {
            return;
        }
        let message;
        try {
            message = json.parse(text);
        } catch (error) {
            this.onProblem(`a line from the robot isn't JSON: ${error.message}`);
            return;
        }
        if (message === null || typeof message !== 'object' || typeof message.type !== 'string') {
            this.onProblem("a line from the robot isn't an object with a type");
            return;
        }
        this.onMessage(message);
    }
}

/**
 * The line of an object. Half a surrogate pair becomes U+FFFD, because strict readers of JSON refuse it.
 * @param {object} message
 * @returns {string}
 */
function line(message) {
    let text = json.stringify(message);
    if (text.includes('\\ud')) {
        // An escaped backslash is consumed as a pair, so that the text `\ud800` stays what it is.
        text = text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\\ufffd'));
    }
    return text + '\n';
}

/**
 * Writes an object as a line, and returns when it is written. A robot that reads slowly so slows the scripts down,
 * and nothing accumulates in memory.
 * @param {number} descriptor
 * @param {object} message
 */
function writeLine(descriptor, message) {
    // The robot ignores empty lines. What has got past `printed-output.js`, perhaps without a line end, is so a line of its own.
    let bytes = Buffer.from(`\n${line(message)}`);
    writing = true;
    while (bytes.length > 0) {
        try {
            bytes = bytes.subarray(writeSync(descriptor, bytes, 0, bytes.length));
        } catch (error) {
            if (error.code !== 'EAGAIN') {
                writing = false;
                throw error;
            }
            // The descriptor is non-blocking and full.
            Atomics.wait(sleeper, 0, 0, 1);
        }
    }
    writing = false;
}

/** Whether a line is being written, so that no other may be: code can interrupt other code, see watchdog.js. */
const isWriting = () => writing;

module.exports = { LineReader, line, writeLine, isWriting, version: 1 };
