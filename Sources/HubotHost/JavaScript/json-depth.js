'use strict';

const limits = require('./limits');

/**
 * Whether a JSON text has more levels of lists and objects than the robot can read.
 * @param {string} text
 */
exports.isTooDeep = function isTooDeep(text) {
    // Each level has at least two characters.
    if (text.length <= 2 * limits.levels) {
        return false;
    }
    let [level, isInString] = [0, false];
    for (let index = 0; index < text.length; index += 1) {
        const character = text[index];
        if (isInString) {
            if (character === '\\') {
                index += 1;
            } else if (character === '"') {
                isInString = false;
            }
        } else if (character === '"') {
            isInString = true;
        } else if (character === '[' || character === '{') {
            level += 1;
            if (level > limits.levels) {
                return true;
            }
        } else if (character === ']' || character === '}') {
            level -= 1;
        }
    }
    return false;
};
