'use strict';

const express = require('./express');
const { makeApp } = require('./web-app');

/**
 * `robot.router`: an app with what Hubot puts before the routes of scripts.
 * @param {object} robot
 * @param {(text: string) => void} warn
 * @param {(error: any, request: object) => void} report is told about errors that no route handles
 */
module.exports = function makeRobotRouter(robot, warn, report) {
    const { env } = process;
    const app = makeApp(report);
    app.disable('x-powered-by');
    app.use(function poweredBy(_request, response, next) {
        response.setHeader('X-Powered-By', `hubot/${encodeURI(robot.name)}`);
        next();
    });
    const [user, password] = [env.EXPRESS_USER ?? env.CONNECT_USER, env.EXPRESS_PASSWORD ?? env.CONNECT_PASSWORD];
    if (user && password) {
        app.use(express.basicAuth(user, password));
    }
    app.use(express.query());
    const limit = bounded(() => express.json({ limit: env.EXPRESS_LIMIT || '100kb' }), () => express.json(), warn);
    app.use(limit);
    app.use(bounded(
        () => express.urlencoded({ limit: env.EXPRESS_LIMIT || '100kb', parameterLimit: Number(env.EXPRESS_PARAMETER_LIMIT) || 1000, extended: true }),
        () => express.urlencoded({ extended: true }), () => {},
    ));
    if (env.EXPRESS_STATIC) {
        app.use(express.static(env.EXPRESS_STATIC));
    }
    app.own = app.stack.length;
    app.listen = () => {
        warn('robot.router.listen does nothing: the robot has a web server of its own');
        return { close() {}, address: () => null };
    };
    return app;
};

function bounded(make, otherwise, warn) {
    try {
        return make();
    } catch (error) {
        warn(`EXPRESS_LIMIT is ignored: ${error.message}`);
        return otherwise();
    }
}
