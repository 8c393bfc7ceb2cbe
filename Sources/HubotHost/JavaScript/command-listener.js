'use strict';

/**
 * Answers a message that invokes one of `robot.commands`, or that says yes or no to one.
 * @param {object} robot
 * @param {object} response its match is `{commandText, confirms}`
 */
async function runCommand(robot, response) {
    const { commandText, confirms } = response.match;
    const { message } = response;
    const context = { user: message.user, room: message.room, message, res: response };
    // No later listener gets a message that was a command.
    message.finish();
    try {
        const result = confirms ? await robot.commands.confirm(commandText, context) : await robot.commands.invoke(commandText, context);
        if (result) {
            await response.reply(answer(result));
        }
    } catch (error) {
        await response.reply(`Error executing command: ${error.message}`);
    }
}

function answer(result) {
    if (result.needsConfirmation) {
        return `Preview: ${result.proposal.preview}\n\nRun it? (yes/no)`;
    }
    if (result.cancelled) {
        return 'Command cancelled';
    }
    if (result.ok || result.executed) {
        return result.result || 'Command executed successfully';
    }
    let text = 'Invalid command:\n';
    if (result.missing.length > 0) {
        text += `Missing required arguments: ${result.missing.join(', ')}\n`;
    }
    if (result.errors.length > 0) {
        text += `Errors: ${result.errors.join(', ')}`;
    }
    return text;
}

/** What a message says to the robot if its text is a confirmation that a command waits for. */
function confirmation(robot, message, commandText) {
    const isAnswer = commandText !== null && /^\s*(yes|y|no|n|cancel)\s*$/i.test(commandText);
    return isAnswer && robot.commands.hasProposal(message) ? { commandText, confirms: true } : null;
}

/** What a message says to the robot if its text starts with a command's id. */
function invocation(robot, command, commandText) {
    if (commandText === null || robot.commands.getCommand(command.id) === undefined) {
        return null;
    }
    const text = commandText.trim();
    const first = text.split(/\s/, 1)[0];
    return first === command.id ? { commandText: text, confirms: false } : null;
}

module.exports = { runCommand, confirmation, invocation };
