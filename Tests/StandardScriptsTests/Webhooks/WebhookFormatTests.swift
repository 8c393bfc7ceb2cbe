import Heybot
import HeybotSupport
import Testing

@testable import StandardScripts

/// Payloads written after the documentation of their tools.
@Suite struct WebhookFormatTests {
    /// A payload, and the lines that it gives.
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let headers: HTTPHeaders
        let json: String
        let lines: [String]

        init(_ name: String, headers: HTTPHeaders = [:], _ json: String, _ lines: String...) {
            (testDescription, self.headers, self.json, self.lines) = (name, headers, json, lines)
        }
    }

    @Test(arguments: chat + monitoring + code + builds)
    func `a documented payload gives readable lines`(_ sample: Sample) throws {
        let json = try #require(JSONValue(sample.json))
        let reading = Webhooks.read(Webhooks.Payload(json, headers: sample.headers))
        #expect(try lines(reading) == sample.lines)
    }

    /// The lines of a webhook without a chosen name; for an ignored payload, the reason in parentheses.
    private func lines(_ reading: Webhooks.Reading) throws -> [String] {
        switch reading {
        case .notice(let notice):
            let name = try #require(Webhooks.WebhookName("1"))
            return notice.lines(label: name.label(of: notice))
        case .ignored(let reason): return ["(\(reason))"]
        }
    }

    static let chat: [Sample] = [
        Sample(
            "Slack: text", #"{"text": "Danny Torrence left a 1 star review for your property."}"#,
            "[webhook 1] Danny Torrence left a 1 star review for your property."),
        Sample(
            "Slack: markup",
            #"{"text": "<!here> <@U024BE7LH|bob> sees <https://example.org/a?b=1&amp;c=2|the page> in <#C024BE7LR|dev>"#
                + #" &lt;3\nand <mailto:ada@example.org|ada>"}"#,
            "[webhook 1] here bob sees the page (https://example.org/a?b=1&c=2) in #dev <3", "[webhook 1] and ada"),
        Sample(
            "Slack: attachments",
            """
            {"username": "ghost-bot", "channel": "#elsewhere", "text": "Build", "attachments": [{
                "fallback": "plain", "color": "#36a64f", "pretext": "A pretext", "author_name": "Bobby Tables",
                "title": "Slack API", "title_link": "https://api.example.org/", "text": "Optional text",
                "fields": [{"title": "Priority", "value": "High", "short": false}], "footer": "Slack", "ts": 123456789
            }, {"fallback": "Only this"}]}
            """,
            "[ghost-bot] Build", "[ghost-bot] A pretext",
            "[ghost-bot] Bobby Tables - Slack API - Optional text - https://api.example.org/",
            "[ghost-bot] Priority: High", "[ghost-bot] Only this"),
        Sample(
            "Slack: blocks",
            """
            {"text": "a fallback", "blocks": [
                {"type": "header", "text": {"type": "plain_text", "text": "New request"}},
                {"type": "section", "text": {"type": "mrkdwn", "text": "*Type:* Paid Time Off"},
                 "fields": [{"type": "mrkdwn", "text": "*When:* Aug 10"}]},
                {"type": "divider"},
                {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                    {"type": "text", "text": "see "}, {"type": "link", "url": "https://example.org", "text": "it"}]}]},
                {"type": "actions", "elements": [
                    {"type": "button", "text": {"type": "plain_text", "text": "View"}, "url": "https://example.org/1"},
                    {"type": "button", "text": {"type": "plain_text", "text": "Reject"}, "value": "no"}]}]}
            """,
            "[webhook 1] New request", "[webhook 1] *Type:* Paid Time Off · *When:* Aug 10",
            "[webhook 1] see it (https://example.org)", "[webhook 1] View (https://example.org/1)"),
        Sample(
            "Mattermost",
            """
            {"channel": "town-square", "username": "test-automation", "icon_url": "https://example.org/icon.png",
             "text": "#### Test results\\n@channel please review [the failed tests](https://example.org/tests)."}
            """,
            "[test-automation] #### Test results",
            "[test-automation] channel please review the failed tests (https://example.org/tests)."),
        Sample(
            "Discord",
            """
            {"content": "Hello, <@123>!", "username": "Webhook", "tts": false, "embeds": [{
                "author": {"name": "Birdie"}, "title": "Title", "url": "https://example.org/", "color": 15258703,
                "description": "Text with [a link](https://example.org/a)",
                "fields": [{"name": "Cool", "value": "yes", "inline": true}], "footer": {"text": "Woah"}}],
             "allowed_mentions": {"parse": ["everyone"]}}
            """,
            "[Webhook] Hello, 123!",
            "[Webhook] Birdie - Title - Text with a link (https://example.org/a) - https://example.org/",
            "[Webhook] Cool: yes"),
        Sample(
            "a title and a message", #"{"title": "Backup", "message": "1 error", "priority": 5}"#,
            "[webhook 1] Backup: 1 error"),
        Sample(
            "an unknown payload",
            #"{"zeta": 1, "alert": {"id": 2, "name": "secret"}, "targets": [{"url": "https://example.org"}]}"#,
            "[webhook 1] I got a payload whose format I don't know. "
                + "Its keys: alert.id, alert.name, targets[].url, zeta"),
        Sample(
            "an unknown list", #"[{"b": 1, "a": 2}]"#,
            "[webhook 1] I got a payload whose format I don't know. The keys of its first item: a, b"),
        Sample("an empty text", #"{"text": " "}"#, "(it has no text)")
    ]

    static let monitoring: [Sample] = [
        Sample(
            "Alertmanager",
            """
            {"version": "4", "groupKey": "{}:{alertname=\\"HighLatency\\"}", "truncatedAlerts": 2, "status": "firing",
             "receiver": "chat", "groupLabels": {"alertname": "HighLatency"},
             "commonLabels": {"alertname": "HighLatency", "severity": "critical"},
             "commonAnnotations": {"summary": "p99 is above 1 s"}, "externalURL": "http://alertmanager:9093",
             "alerts": [
                {"status": "firing",
                 "labels": {"alertname": "HighLatency", "severity": "critical", "instance": "web-1"},
                 "annotations": {"summary": "p99 is above 1 s"}, "startsAt": "2026-03-01T12:00:00Z",
                 "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://prometheus:9090/graph",
                 "fingerprint": "b7c2b1f5a0c3d4e5"},
                {"status": "firing",
                 "labels": {"alertname": "HighLatency", "severity": "critical", "instance": "web-2"},
                 "annotations": {"summary": "p99 is above 1 s"}, "fingerprint": "b7c2b1f5a0c3d4e6"},
                {"status": "resolved", "labels": {"alertname": "DiskFull", "instance": "db-1"},
                 "annotations": {"description": "5% left"}, "fingerprint": "b7c2b1f5a0c3d4e7"}]}
            """,
            "[Alertmanager] FIRING HighLatency (2) on web-1, web-2: p99 is above 1 s",
            "[Alertmanager] resolved DiskFull on db-1: 5% left",
            "[Alertmanager] Alertmanager left out 2 more alerts"),
        Sample(
            "Grafana",
            """
            {"receiver": "My Super Webhook", "status": "firing", "orgId": 1, "alerts": [{
                "status": "firing", "labels": {"alertname": "High memory usage", "team": "blue", "zone": "us-1"},
                "annotations": {"description": "The system has high memory usage",
                    "summary": "This alert was triggered for zone us-1"},
                "startsAt": "2021-10-12T09:51:03.157076+02:00", "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "https://play.grafana.org/alerting/1afz29v7z/edit", "fingerprint": "c6eadffa33fcdf37",
                "silenceURL": "https://play.grafana.org/alerting/silence/new", "dashboardURL": "",
                "panelURL": "https://play.grafana.org/d/1?viewPanel=2", "values": {"B": 44.2, "C": 1}}],
             "groupLabels": {}, "commonLabels": {"team": "blue"}, "commonAnnotations": {},
             "externalURL": "https://play.grafana.org/", "version": "1", "groupKey": "{}:{}", "truncatedAlerts": 0,
             "title": "[FIRING:1]  (blue)", "state": "alerting", "message": "**Firing**"}
            """,
            "[Grafana] FIRING High memory usage: This alert was triggered for zone us-1 "
                + "https://play.grafana.org/d/1?viewPanel=2"),
        Sample(
            "Grafana before version 11",
            """
            {"dashboardId": 1, "evalMatches": [{"value": 1, "metric": "Count", "tags": {}}],
             "imageUrl": "https://grafana.com/assets/img/blog.png", "message": "Notification Message", "orgId": 1,
             "panelId": 2, "ruleId": 1, "ruleName": "Panel Title alert",
             "ruleUrl": "http://localhost:3000/d/hZ7BuVbWz", "state": "alerting", "title": "[Alerting] Panel Title"}
            """,
            "[Grafana] FIRING Panel Title alert: Notification Message http://localhost:3000/d/hZ7BuVbWz"),
        Sample(
            "Uptime Kuma",
            """
            {"heartbeat": {"monitorID": 10, "status": 0, "time": "2026-01-21 14:06:38", "msg": "connect ECONNREFUSED",
                "important": true, "duration": 60},
             "monitor": {"id": 10, "name": "Shop", "url": "https://shop.example.org", "basic_auth_pass": "hunter2"},
             "msg": "[Shop] [🔴 Down] connect ECONNREFUSED"}
            """,
            "[Uptime Kuma] DOWN: Shop (connect ECONNREFUSED) https://shop.example.org"),
        Sample(
            "Uptime Kuma: up",
            """
            {"heartbeat": {"status": 1, "msg": "200 - OK"}, "monitor": {"id": 10, "name": "Shop"},
             "msg": "[Shop] [✅ Up] 200 - OK"}
            """,
            "[Uptime Kuma] up again: Shop (200 - OK)"),
        Sample(
            "Uptime Kuma: test", #"{"heartbeat": null, "monitor": null, "msg": "My Notification Testing"}"#,
            "[Uptime Kuma] My Notification Testing"),
        Sample(
            "Sentry: issue alert", headers: ["Sentry-Hook-Resource": "event_alert"],
            """
            {"action": "triggered", "actor": {"id": "sentry", "name": "Sentry", "type": "application"},
             "data": {"event": {"culprit": "app.js", "level": "error", "title": "ReferenceError: heck is not defined",
                "project": 1, "web_url": "https://sentry.io/organizations/test-org/issues/1170820242/"},
                "triggered_rule": "Very Important Alert Rule!"}, "installation": {"uuid": "a8e5d37a"}}
            """,
            "[Sentry] error: ReferenceError: heck is not defined [Very Important Alert Rule!] in app.js "
                + "https://sentry.io/organizations/test-org/issues/1170820242/"),
        Sample(
            "Sentry: metric alert", headers: ["Sentry-Hook-Resource": "metric_alert"],
            """
            {"action": "critical", "actor": {"id": "sentry", "name": "Sentry", "type": "application"},
             "data": {"description_text": "1000 events in the last 10 minutes", "description_title": "Critical: Errors",
                "metric_alert": {"id": "4", "alert_rule": {"id": "7", "name": "Too many errors"}},
                "web_url": "https://sentry.io/organizations/test-org/alerts/4/"}, "installation": {"uuid": "a8e5"}}
            """,
            "[Sentry] FIRING Too many errors (critical): 1000 events in the last 10 minutes "
                + "https://sentry.io/organizations/test-org/alerts/4/"),
        Sample(
            "Sentry: issue", headers: ["Sentry-Hook-Resource": "issue"],
            """
            {"action": "resolved", "actor": {"id": 1, "name": "Ada", "type": "user"},
             "data": {"issue": {"id": "1170820242", "shortId": "SHOP-1", "title": "TypeError: no such thing",
                "culprit": "cart", "level": "error", "web_url": "https://sentry.io/organizations/o/issues/1/",
                "project": {"id": "1", "name": "Shop", "slug": "shop"}}}}
            """,
            "[Shop] resolved: SHOP-1 TypeError: no such thing (by Ada) https://sentry.io/organizations/o/issues/1/"),
        Sample(
            "Sentry's plugin WebHooks",
            """
            {"id": "27379932", "project": "shop", "project_name": "Shop", "culprit": "raven.scripts.runner",
             "level": "error", "url": "https://sentry.io/shop/issues/27379932/", "triggering_rules": [],
             "event": {"title": "This is an example"}}
            """,
            "[Shop] error: This is an example in raven.scripts.runner https://sentry.io/shop/issues/27379932/")
    ]

    private static let gitLabProject = """
        "project": {"id": 15, "name": "Diaspora", "web_url": "https://gitlab.example.org/mike/diaspora",
            "path_with_namespace": "mike/diaspora"}
        """
    private static let giteaRepository =
        #""repository": {"id": 140, "name": "webhooks", "full_name": "gitea/webhooks"}, "sender": {"login": "ada"}"#

    static let code: [Sample] = [
        Sample(
            "GitLab: push", headers: ["X-Gitlab-Event": "Push Hook"],
            """
            {"object_kind": "push", "event_name": "push", "before": "95790bf891e7", "after": "da1560886d4f",
             "ref": "refs/heads/master", "user_name": "John Smith", "user_username": "jsmith", \(gitLabProject),
             "commits": [{"id": "b6568db1", "message": "Update Catalan translation.\\n\\nSee more.",
                "title": "Update Catalan translation."}, {"id": "da15608", "title": "Fix readme"}],
             "total_commits_count": 4}
            """,
            "[Diaspora] John Smith pushed 4 commits to master: Update Catalan translation. (+3 more) "
                + "https://gitlab.example.org/mike/diaspora/-/compare/95790bf891e7...da1560886d4f",
            "[Diaspora] then: Fix readme · …"),
        Sample(
            "GitLab: tag",
            """
            {"object_kind": "tag_push", "before": "0000000000000000", "after": "82b3d5ae55f7", "ref": "refs/tags/v1.0",
             "user_name": "John Smith", \(gitLabProject), "commits": [], "total_commits_count": 0}
            """,
            "[Diaspora] John Smith pushed tag v1.0 https://gitlab.example.org/mike/diaspora/-/commits/v1.0"),
        Sample(
            "GitLab: merge request",
            """
            {"object_kind": "merge_request", "event_type": "merge_request", "user": {"name": "Ada", "username": "ada"},
             \(gitLabProject), "object_attributes": {"id": 99, "iid": 1, "title": "MS-Viewport", "action": "merge",
                "draft": false, "url": "https://gitlab.example.org/mike/diaspora/-/merge_requests/1"}}
            """,
            "[Diaspora] Ada merged merge request !1: MS-Viewport "
                + "https://gitlab.example.org/mike/diaspora/-/merge_requests/1"),
        Sample(
            "GitLab: issue",
            """
            {"object_kind": "issue", "user": {"name": "Ada"}, \(gitLabProject),
             "object_attributes": {"iid": 23, "title": "New API: create", "action": "open",
                "url": "https://gitlab.example.org/mike/diaspora/-/issues/23"}}
            """,
            "[Diaspora] Ada opened issue #23: New API: create "
                + "https://gitlab.example.org/mike/diaspora/-/issues/23"),
        Sample(
            "GitLab: comment",
            """
            {"object_kind": "note", "user": {"name": "Ada"}, \(gitLabProject), "merge_request": {"iid": 1},
             "object_attributes": {"note": "This MR needs work.\\nReally.", "noteable_type": "MergeRequest",
                "action": "create", "url": "https://gitlab.example.org/1#note_1244"}}
            """,
            "[Diaspora] Ada commented on merge request !1: This MR needs work. https://gitlab.example.org/1#note_1244"),
        Sample(
            "GitLab: pipeline",
            """
            {"object_kind": "pipeline", "user": {"name": "Ada"}, \(gitLabProject),
             "object_attributes": {"id": 31, "ref": "master", "status": "failed",
                "url": "https://gitlab.example.org/mike/diaspora/-/pipelines/31"},
             "commit": {"title": "Fix readme"}, "builds": [
                {"name": "lint", "status": "failed", "allow_failure": true},
                {"name": "test", "status": "failed", "allow_failure": false}, {"name": "build", "status": "success"}]}
            """,
            "[Diaspora] the pipeline failed on master (test): Fix readme "
                + "https://gitlab.example.org/mike/diaspora/-/pipelines/31"),
        Sample(
            "GitLab: job",
            """
            {"object_kind": "build", "ref": "main", "build_id": 1977, "build_name": "test", "build_status": "failed",
             "build_allow_failure": false, "project_name": "GitLab Org / diaspora",
             "repository": {"name": "diaspora", "homepage": "https://gitlab.example.org/mike/diaspora"}}
            """,
            "[diaspora] the job test failed on main https://gitlab.example.org/mike/diaspora/-/jobs/1977"),
        Sample(
            "GitLab: deployment",
            """
            {"object_kind": "deployment", "status": "success", "deployable_url": "https://gitlab.example.org/jobs/796",
             "environment": "staging", \(gitLabProject), "short_sha": "279484c0", "ref": "main",
             "user": {"name": "Ada"}}
            """,
            "[Diaspora] Ada deployed main to staging https://gitlab.example.org/jobs/796"),
        Sample(
            "GitLab: release",
            """
            {"object_kind": "release", "action": "create", "tag": "v1.1", "name": "v1.1", \(gitLabProject),
             "url": "https://gitlab.example.org/mike/diaspora/-/releases/v1.1"}
            """,
            "[Diaspora] release v1.1 was published https://gitlab.example.org/mike/diaspora/-/releases/v1.1"),
        Sample(
            "GitLab: another event", #"{"object_kind": "emoji", "event_type": "award"}"#,
            "(I don't post this emoji event)"),
        Sample(
            "Gitea: push", headers: ["X-Gitea-Event": "push", "X-GitHub-Event": "push"],
            """
            {"ref": "refs/heads/develop", "before": "28e1879d029c", "after": "bffeb74224043ba2",
             "compare_url": "https://gitea.example.org/gitea/webhooks/compare/28e1879d029c...bffeb7422404",
             "commits": [{"id": "bffeb7", "message": "Second\\n"}, {"id": "bffeb6", "message": "First\\n"}],
             "total_commits": 2, \(giteaRepository), "pusher": {"id": 1, "login": "gitea", "full_name": "Gitea"}}
            """,
            "[webhooks] gitea pushed 2 commits to develop: First (+1 more) "
                + "https://gitea.example.org/gitea/webhooks/compare/28e1879d029c...bffeb7422404",
            "[webhooks] then: Second"),
        Sample(
            "Gitea: pull request", headers: ["X-Gitea-Event": "pull_request"],
            """
            {"action": "closed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "merged": true, "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"}}
            """,
            "[webhooks] ada merged pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        Sample(
            "Gitea: review", headers: ["X-Gitea-Event": "pull_request_approved"],
            """
            {"action": "reviewed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"},
             "review": {"type": "pull_request_review_approved", "content": "good"}}
            """,
            "[webhooks] ada approved pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        Sample(
            "Gitea: review with comments only", headers: ["X-Gitea-Event": "pull_request_comment"],
            """
            {"action": "reviewed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"},
             "review": {"type": "pull_request_review_comment", "content": "why?"}}
            """,
            "[webhooks] ada reviewed pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        Sample(
            "Gitea: comment", headers: ["X-Gitea-Event": "issue_comment"],
            """
            {"action": "created", "is_pull": false, "issue": {"number": 3}, \(giteaRepository),
             "comment": {"body": "Me too", "html_url": "https://gitea.example.org/gitea/webhooks/issues/3#c1"}}
            """,
            "[webhooks] ada commented on issue #3: Me too https://gitea.example.org/gitea/webhooks/issues/3#c1"),
        Sample(
            "Gitea: release, without headers",
            """
            {"action": "published", \(giteaRepository), "release": {"tag_name": "v1", "name": "First",
                "prerelease": false, "html_url": "https://gitea.example.org/gitea/webhooks/releases/tag/v1"}}
            """,
            "[webhooks] ada published release v1: First https://gitea.example.org/gitea/webhooks/releases/tag/v1")
    ]

    static let builds: [Sample] = [
        Sample(
            "Jenkins",
            """
            {"name": "asgard", "display_name": "asgard", "url": "job/asgard/", "build": {
                "full_url": "https://jenkins.example.org/job/asgard/18/", "number": 18, "phase": "COMPLETED",
                "status": "FAILURE", "url": "job/asgard/18/", "scm": {"url": "https://github.com/evgeny-goldin/asgard",
                    "branch": "origin/master", "commit": "c6d86dc654b1"},
                "test_summary": {"total": 40, "failed": 2, "passed": 38, "skipped": 0}, "artifacts": {}}}
            """,
            "[Jenkins] asgard #18 failed on master (2 of 40 tests failed) https://jenkins.example.org/job/asgard/18/"),
        Sample(
            "Jenkins: started", #"{"name": "asgard", "build": {"number": 18, "phase": "STARTED"}}"#,
            "(I only post builds that have ended)")
    ]
}
