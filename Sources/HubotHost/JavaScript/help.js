'use strict';

// The headings of a header comment, by Hubot's rules.
const sections = new Set([
    'description', 'dependencies', 'configuration', 'commands', 'notes', 'author', 'authors', 'examples', 'tags', 'urls',
]);

/**
 * Parses the comment at the top of a script: its leading lines that start with `#` or `//`.
 *
 * @param {string} source
 * @param {string} robotName replaces `hubot` in headers without headings, the oldest form
 * @returns {{commands: string[], sections: Object<string, string[]>}}
 */
function parseHeader(source, robotName) {
    const lines = [];
    for (const line of source.replace(/^\ufeff/, '').replace(/^["']use strict['"];?\s+/, '').split(/\r\n|\n|\r/)) {
        if (!/^(#|\/\/)/.test(line)) {
            break;
        }
        const text = line.replace(/^[#/]+\s*/, '');
        if (text !== '') {
            lines.push(text);
        }
    }
    const found = {};
    let section = null;
    for (const line of lines.filter((text) => text.toLowerCase() !== 'none')) {
        const heading = line.toLowerCase().replace(':', '');
        if (sections.has(heading)) {
            section = heading;
            found[section] = [];
        } else if (section !== null) {
            found[section].push(line);
        }
    }
    if (section === null) {
        found.commands = lines
            .filter((line) => !line.includes('-'))
            .map((line) => line.slice(2).replace(/^hubot/i, robotName).trim());
    }
    return { commands: found.commands ?? [], sections: found };
}

module.exports = { parseHeader };
