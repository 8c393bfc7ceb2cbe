'use strict';

const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
let inStack = () => undefined;

/**
 * Calls a function for a script. Everything that it starts, such as timers, requests and promises, belongs to that script.
 * @param {{script: object, run?: object, web?: boolean, passing?: object}} context
 * @param {() => any} body
 */
exports.run = (context, body) => storage.run(context, body);

/** The script whose code runs now, or undefined. */
exports.script = () => storage.getStore()?.script;

/** The script whose code runs now; if this isn't known, the script whose file is in the stack. */
exports.caller = () => exports.script() ?? inStack(new Error());

/** Sets how `caller` finds the script in the stack of an error. */
exports.findInStack = (find) => {
    inStack = find;
};

/** The function, which then always runs for the script that runs now, but for the message for which it is called. */
exports.bind = (body) => {
    const script = exports.caller();
    if (script === undefined) {
        return body;
    }
    return function bound(...values) {
        return storage.run({ ...storage.getStore(), script }, () => body.apply(this, values));
    };
};

/** The run of a listener to which the code that runs now belongs, or undefined. */
exports.currentRun = () => storage.getStore()?.run;

/** The message that the script's own `robot.receive` has got, if the code that runs now belongs to that call. */
exports.passing = () => storage.getStore()?.passing;

/** Whether the code that runs now belongs to something that somebody waits for: a message, or a web request. */
exports.isWork = () => {
    const store = storage.getStore();
    return store !== undefined && (store.run !== undefined || store.web === true);
};
