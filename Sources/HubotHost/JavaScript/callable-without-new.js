'use strict';

/**
 * Makes a class that can also be called without `new`, as code does that CoffeeScript 1 compiled
 * (`Parent.apply(this, arguments)`) or that uses `util.inherits`.
 * @param {Function} type a class without private members
 * @returns {Function}
 */
module.exports = function callableWithoutNew(type) {
    function open(...values) {
        if (new.target) {
            return Reflect.construct(type, values, new.target);
        }
        // Hidden properties too.
        Object.defineProperties(this, Object.getOwnPropertyDescriptors(Reflect.construct(type, values)));
        return undefined;
    }
    Object.setPrototypeOf(open, type);
    open.prototype = type.prototype;
    Object.defineProperty(open.prototype, 'constructor', { value: open, writable: true, configurable: true });
    Object.defineProperty(open, 'name', { value: type.name });
    Object.defineProperty(open, 'length', { value: type.length });
    return open;
};
