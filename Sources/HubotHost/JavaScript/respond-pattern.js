'use strict';

/** The source and flags of what was given to `respond`; Hubot takes any object whose text is `/source/flags`. */
function sourceOf(regex) {
    const parts = String(regex).split('/');
    parts.shift();
    const flags = parts.pop();
    return { source: parts.join('/'), flags: flags ?? '' };
}

/**
 * The regular expression for messages that start with the robot's name or alias.
 * @param {RegExp} regex
 * @param {string} name
 * @param {string|false} alias
 * @param {object} logger
 * @returns {RegExp}
 */
function respondPattern(regex, name, alias, logger) {
    const { source, flags } = sourceOf(regex);
    if (source.startsWith('^')) {
        logger.warning("Anchors don't work well with respond, perhaps you want to use 'hear'");
        logger.warning(`The regex in question was ${regex}`);
    }
    const escaped = [name, alias].filter(Boolean).map((word) => word.replace(/[-[\]{}()*+?.,\\^$|#\s]/g, '\\$&'));
    // The longer one first, since one may be the start of the other.
    const names = escaped.sort((one, other) => other.length - one.length).map((word) => `${word}[:,]?`).join('|');
    return new RegExp(`^\\s*[@]?${alias ? `(?:${names})` : names}\\s*(?:${source})`, flags);
}

module.exports = { respondPattern, sourceOf };
