'use strict';

const fs = require('fs');

/** The names of standard output as a file. */
const names = new Set(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', `/proc/${process.pid}/fd/1`]);

/**
 * Gives what scripts write to standard output through `fs` to a function; it would otherwise get into the protocol.
 * @param {(bytes: Buffer) => void} add
 */
exports.takeOutput = function takeOutput(add) {
    const replace = (object, name, make) => {
        const original = object[name];
        const wrapped = make(original);
        // `util.promisify` finds the names of the results on the function.
        object[name] = Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
    };
    /** Calls something else if the first argument means standard output. */
    const divert = (object, name, instead) => replace(object, name, (original) => function diverted(file, ...values) {
        return isOutput(file) ? instead.call(this, original, ...values) : original.call(this, file, ...values);
    });
    const write = (data, position, encoding) => {
        const bytes = bytesOf(data, position, encoding);
        add(bytes);
        return bytes.length;
    };
    const writeAll = (buffers) => buffers.reduce((sum, bytes) => sum + write(bytes), 0);
    const writeFile = (data, options) => {
        write(data, undefined, typeof options === 'string' ? options : options?.encoding);
    };
    // The descriptor that stands for the file. It is never closed, because the protocol needs it.
    const open = () => 1;
    const close = () => undefined;
    for (const [name, body] of Object.entries({ write, writev: writeAll, writeFile, appendFile: writeFile, open, close })) {
        divert(fs, `${name}Sync`, (_original, ...values) => body(...values));
        divert(fs, name, (_original, ...values) => {
            const done = typeof values[values.length - 1] === 'function' ? values.pop() : () => {};
            const result = body(...values);
            process.nextTick(() => done(null, result, values[0]));
        });
    }
    for (const name of ['writeFile', 'appendFile']) {
        divert(fs.promises, name, async (_original, data, options) => {
            const isStream = typeof data !== 'string' && !ArrayBuffer.isView(data) && data?.[Symbol.asyncIterator] !== undefined;
            for await (const part of isStream ? data : [data]) {
                writeFile(part, options);
            }
        });
    }
    // It gives an object of Node's own, whose functions can't be replaced; standard error reaches the log too.
    divert(fs.promises, 'open', (original, ...values) => original('/dev/stderr', ...values));
};

function isOutput(file) {
    if (typeof file === 'number') {
        return file === 1;
    }
    return names.has(file instanceof URL ? file.pathname : String(file));
}

/** What is to be written: of bytes perhaps a part, given as the position or as an object. */
function bytesOf(data, position, size) {
    if (!ArrayBuffer.isView(data)) {
        return Buffer.from(String(data), Buffer.isEncoding(size) ? size : 'utf8');
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const part = position !== null && typeof position === 'object' ? position : { offset: position, length: size };
    const offset = part.offset ?? 0;
    return bytes.subarray(offset, offset + (typeof part.length === 'number' ? part.length : bytes.length));
}
