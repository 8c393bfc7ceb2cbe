// Runs on a thread of Node's, and says which file an imported name is.
import { readFile } from 'node:fs/promises';

const hubot = new URL('./hubot.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
    if (specifier === 'hubot' || specifier === 'hubot/index.mjs') {
        return { url: hubot, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
}

export async function load(url, context, next) {
    // A `.js` file that turned out to be an ES module.
    if (url.endsWith('.js?module')) {
        return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
    }
    return next(url, context);
}
