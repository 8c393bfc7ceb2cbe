'use strict';

const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();

/**
 * Calls a function for a script. Everything that it starts, such as timers, requests and promises, belongs to that script.
 * @param {{script: object, run?: object, web?: boolean}} context
 * @param {() => any} body
 */
exports.run = (context, body) => storage.run(context, body);

/** The script whose code runs now, or undefined. */
exports.script = () => storage.getStore()?.script;

/** The run of a listener to which the code that runs now belongs, or undefined. */
exports.currentRun = () => storage.getStore()?.run;

/** Whether the code that runs now belongs to something that somebody waits for: a message, or a web request. */
exports.isWork = () => {
    const store = storage.getStore();
    return store !== undefined && (store.run !== undefined || store.web === true);
};
