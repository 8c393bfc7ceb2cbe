'use strict';

// For a test: no compiler for CoffeeScript is installed.
const fs = require('fs');

const { readFileSync } = fs;
fs.readFileSync = function hideCompilers(file, ...others) {
    if (/\/coffee-?script\/package\.json$/.test(String(file))) {
        throw Object.assign(new Error('hidden'), { code: 'ENOENT' });
    }
    return readFileSync.call(this, file, ...others);
};
