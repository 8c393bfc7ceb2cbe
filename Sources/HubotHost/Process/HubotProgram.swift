import FoundationEssentials
import HeybotSupport

/// The JavaScript program that runs Hubot scripts, which is part of this binary.
package enum HubotProgram {
    /// The files by name.
    static let files: [(name: String, bytes: [UInt8])] = [
        ("abstract-datastore.js", PackageResources.abstract_datastore_js),
        ("adapter.js", PackageResources.adapter_js),
        ("background-timers.js", PackageResources.background_timers_js),
        ("brain-store.js", PackageResources.brain_store_js),
        ("brain-tree.js", PackageResources.brain_tree_js),
        ("brain.js", PackageResources.brain_js),
        ("callable-without-new.js", PackageResources.callable_without_new_js),
        ("coffeescript-repair.js", PackageResources.coffeescript_repair_js),
        ("coffeescript.js", PackageResources.coffeescript_js),
        ("command-bus-arguments.js", PackageResources.command_bus_arguments_js),
        ("command-bus.js", PackageResources.command_bus_js),
        ("command-listener.js", PackageResources.command_listener_js),
        ("context.js", PackageResources.context_js),
        ("error-description.js", PackageResources.error_description_js),
        ("express.js", PackageResources.express_js),
        ("help.js", PackageResources.help_js),
        ("host.js", PackageResources.host_js),
        ("http-client.js", PackageResources.http_client_js),
        ("hubot.js", PackageResources.hubot_js),
        ("hubot.mjs", PackageResources.hubot_mjs),
        ("import-hook.mjs", PackageResources.import_hook_mjs),
        ("in-flight-messages.js", PackageResources.in_flight_messages_js),
        ("json-depth.js", PackageResources.json_depth_js),
        ("json-lines.js", PackageResources.json_lines_js),
        ("limits.js", PackageResources.limits_js),
        ("listener.js", PackageResources.listener_js),
        ("loader.js", PackageResources.loader_js),
        ("log-limit.js", PackageResources.log_limit_js),
        ("logger.js", PackageResources.logger_js),
        ("main.js", PackageResources.main_js),
        ("message-classes.js", PackageResources.message_classes_js),
        ("middleware.js", PackageResources.middleware_js),
        ("module-hooks.js", PackageResources.module_hooks_js),
        ("outgoing.js", PackageResources.outgoing_js),
        ("printed-output.js", PackageResources.printed_output_js),
        ("registrations.js", PackageResources.registrations_js),
        ("replaced-receive.js", PackageResources.replaced_receive_js),
        ("respond-pattern.js", PackageResources.respond_pattern_js),
        ("response.js", PackageResources.response_js),
        ("retirement.js", PackageResources.retirement_js),
        ("robot-datastore.js", PackageResources.robot_datastore_js),
        ("robot-router.js", PackageResources.robot_router_js),
        ("robot.js", PackageResources.robot_js),
        ("runs.js", PackageResources.runs_js),
        ("script-events.js", PackageResources.script_events_js),
        ("script-requirements.js", PackageResources.script_requirements_js),
        ("standard-streams.js", PackageResources.standard_streams_js),
        ("user.js", PackageResources.user_js),
        ("watchdog-thread.js", PackageResources.watchdog_thread_js),
        ("watchdog.js", PackageResources.watchdog_js),
        ("web-app.js", PackageResources.web_app_js),
        ("web-body.js", PackageResources.web_body_js),
        ("web-files.js", PackageResources.web_files_js),
        ("web-html.js", PackageResources.web_html_js),
        ("web-media-types.js", PackageResources.web_media_types_js),
        ("web-path.js", PackageResources.web_path_js),
        ("web-query.js", PackageResources.web_query_js),
        ("web-request.js", PackageResources.web_request_js),
        ("web-response.js", PackageResources.web_response_js),
        ("web-server.js", PackageResources.web_server_js)
    ]

    /// A name for this version of the program, made from its content.
    private static var version: String {
        var content: [UInt8] = []
        for (name, bytes) in files { content += Array("\(name) \(bytes.count)\n".utf8) + bytes }
        return CryptographicHash.sha256.hash(content).prefix(8)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Writes the program into a folder, unless it is there.
    ///
    /// Other versions stay: another robot with the same folder may run one.
    ///
    /// - Parameter folder: The folder for all versions, which is created if it doesn't exist.
    /// - Returns: The path of the file to run.
    package static func install(in folder: String) throws -> String {
        let (manager, version) = (FileManager.default, version)
        let place = "\(folder)/\(version)"
        let main = "\(place)/main.js"
        guard !manager.fileExists(atPath: main) else { return main }
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Complete or not at all: another robot may start at the same time.
        let new = "\(folder)/\(version)-\(UUID().uuidString)"
        try manager.createDirectory(atPath: new, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(new)/\(name)")) }
        do {
            try manager.moveItem(atPath: new, toPath: place)
        } catch {
            try? manager.removeItem(atPath: new)
            guard manager.fileExists(atPath: main) else { throw error }
        }
        return main
    }
}
