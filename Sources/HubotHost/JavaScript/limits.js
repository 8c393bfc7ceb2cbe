'use strict';

/** The limits of texts and queues. Texts are cut, not refused, except lines from the robot. */
module.exports = {
    /** The longest line from the robot, in bytes. */
    lineFromRobot: 64 << 20,
    /** The longest text of one `send`, in UTF-16 units. */
    text: 100000,
    /** The most texts of one `send`. */
    texts: 1000,
    /** The longest JSON of all texts of one `send`, in UTF-16 units: the robot refuses lines of more than 16 MiB. */
    allTexts: 4 << 20,
    /** The longest text of one log message. */
    logText: 8000,
    /** Log messages that may be written at once, and how many more each second. */
    logBurst: 2000,
    logRate: 200,
    /** The longest help line, and the most help lines of a script. */
    helpLine: 1000,
    helpLines: 2000,
    /** The robot does not get a longer pattern, so it asks for each message. */
    pattern: 10000,
    /** The longest options of a listener as JSON. */
    options: 4000,
    /** After this many messages of the robot in a row that could not be handled, the process ends. */
    failedMessages: 5,
    /** Messages, held runs and requests that are kept until the robot says that they are over. */
    messages: 2000,
    requests: 20000,
    /** The longest entry of the brain, and about the longest message with several, in UTF-16 units of their JSON. */
    brainValue: 2 << 20,
    brainMessage: 1 << 20,
    /** The most lists and objects inside of each other in a value of the brain or the data store, and in a listener's options. */
    levels: 200,
    /** An object with more JSON is divided into entries of its own, up to this depth. */
    brainDivided: 16 << 10,
    brainDepth: 8,
    /** The longest key of the data store. */
    storeKey: 1000,
    /** The entries that can't be kept and are named in the log. */
    brainReports: 1000,
    /** Web requests that are answered at once, the longest body of a request or an answer, and the longest part of one, in bytes. */
    webRequests: 100,
    webBody: 32 << 20,
    webPart: 192 << 10,
    /** The longest headers of a request or an answer, in bytes; the robot accepts up to 80 KiB. */
    webHeaders: 128 << 10,
    /** The routes that the robot is told about, and the longest path of one. */
    routes: 1000,
    routePath: 1000,
    /** Environment variables, missing packages and files of a script, and the text of a file that is searched for them, in UTF-16 units. */
    requirements: 200,
    source: 1 << 20,
    /** The longest error text and stack. */
    error: 2000,
    stack: 8000,
};
