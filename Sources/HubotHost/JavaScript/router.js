'use strict';

const verbs = [
    'get', 'post', 'put', 'patch', 'delete', 'del', 'head', 'options', 'all', 'use', 'param', 'set', 'enable', 'disable', 'engine',
];

/**
 * Keeps the routes that scripts register. No request reaches them yet, which the log says once.
 * @param {(text: string) => void} warn
 */
module.exports = function makeRouter(warn) {
    let warned = false;
    function keep(verb, values) {
        // express's `get` with a single name reads a setting.
        if (verb === 'get' && values.length === 1) {
            return undefined;
        }
        if (verb !== 'set' && verb !== 'enable' && verb !== 'disable') {
            router.routes.push({ method: verb === 'del' ? 'delete' : verb, path: values[0], handlers: values.slice(1) });
            if (!warned) {
                warned = true;
                warn("web routes of Hubot scripts aren't served yet: they are registered, but get no request");
            }
        }
        return router;
    }
    function router(_request, _response, next) {
        next?.();
    }
    router.routes = [];
    for (const verb of verbs) {
        router[verb] = (...values) => keep(verb, values);
    }
    router.route = (path) => {
        const route = {};
        for (const verb of verbs) {
            route[verb] = (...handlers) => {
                keep(verb, [path, ...handlers]);
                return route;
            };
        }
        return route;
    };
    router.listen = () => {
        warn('robot.router.listen does nothing: the robot has a web server of its own');
        return { close() {}, address: () => null };
    };
    return router;
};
