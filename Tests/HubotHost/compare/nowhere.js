'use strict';

const { EventEmitter } = require('events');

// An adapter for the real Hubot that connects to nothing.
class Nowhere extends EventEmitter {
    send() {}

    reply() {}

    run() {}

    close() {}
}

exports.use = () => new Nowhere();
