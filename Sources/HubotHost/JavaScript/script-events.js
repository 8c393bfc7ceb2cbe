'use strict';

const { EventEmitter } = require('events');
const context = require('./context');

/** Events whose handlers run for the scripts that have added them, whoever emits the event. */
class ScriptEvents extends EventEmitter {
    on(event, handler) {
        return super.on(event, bind(handler));
    }

    addListener(event, handler) {
        return this.on(event, handler);
    }

    prependListener(event, handler) {
        return super.prependListener(event, bind(handler));
    }

    once(event, handler) {
        return super.on(event, this._once(event, handler));
    }

    prependOnceListener(event, handler) {
        return super.prependListener(event, this._once(event, handler));
    }

    _once(event, handler) {
        if (typeof handler !== 'function') {
            return handler;
        }
        const bound = context.bind(handler);
        const once = (...values) => {
            this.removeListener(event, once);
            return bound.apply(this, values);
        };
        return named(once, handler);
    }
}

function bind(handler) {
    const bound = typeof handler === 'function' ? context.bind(handler) : handler;
    return bound === handler ? handler : named(bound, handler);
}

/** Node removes and lists a handler by the function that a script has given, if that is the property `listener`. */
function named(bound, handler) {
    return Object.assign(bound, { listener: handler });
}

module.exports = { ScriptEvents };
