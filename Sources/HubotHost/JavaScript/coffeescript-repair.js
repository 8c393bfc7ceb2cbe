'use strict';

/**
 * What CoffeeScript 1 accepted and CoffeeScript 2 doesn't, in a form that means the same to both.
 * @param {string} source
 * @param {{message?: string, location?: {first_line: number, first_column: number}}} error why it doesn't compile
 * @returns {string|null} the repaired source, with the same lines, or null
 */
module.exports = function repair(source, error) {
    const message = String(error?.message);
    if (/mixed indentation|indentation mismatch/.test(message)) {
        // CoffeeScript 1 counted a tab as one column, like a space.
        const spaces = source.replace(/^[ \t]+/gm, (indentation) => indentation.replace(/\t/g, ' '));
        return spaces === source ? null : spaces;
    }
    if (/unexpected \/\/$/m.test(message) && error.location) {
        const lines = source.split('\n');
        const { first_line: line, first_column: column } = error.location;
        if (lines[line]?.startsWith('//', column)) {
            // The empty regular expression.
            lines[line] = `${lines[line].slice(0, column)}/(?:)/${lines[line].slice(column + 2)}`;
            return lines.join('\n');
        }
    }
    return null;
};
