import Heybot

extension WebhookSample {
    /// Alerts and errors.
    static let monitoring: [WebhookSample] = [
        WebhookSample(
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
        WebhookSample(
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
        WebhookSample(
            "Grafana before version 11",
            """
            {"dashboardId": 1, "evalMatches": [{"value": 1, "metric": "Count", "tags": {}}],
             "imageUrl": "https://grafana.com/assets/img/blog.png", "message": "Notification Message", "orgId": 1,
             "panelId": 2, "ruleId": 1, "ruleName": "Panel Title alert",
             "ruleUrl": "http://localhost:3000/d/hZ7BuVbWz", "state": "alerting", "title": "[Alerting] Panel Title"}
            """,
            "[Grafana] FIRING Panel Title alert: Notification Message http://localhost:3000/d/hZ7BuVbWz"),
        WebhookSample(
            "Uptime Kuma",
            """
            {"heartbeat": {"monitorID": 10, "status": 0, "time": "2026-01-21 14:06:38", "msg": "connect ECONNREFUSED",
                "important": true, "duration": 60},
             "monitor": {"id": 10, "name": "Shop", "url": "https://shop.example.org", "basic_auth_pass": "hunter2"},
             "msg": "[Shop] [🔴 Down] connect ECONNREFUSED"}
            """,
            "[Uptime Kuma] DOWN: Shop (connect ECONNREFUSED) https://shop.example.org"),
        WebhookSample(
            "Uptime Kuma: up",
            """
            {"heartbeat": {"status": 1, "msg": "200 - OK"}, "monitor": {"id": 10, "name": "Shop"},
             "msg": "[Shop] [✅ Up] 200 - OK"}
            """,
            "[Uptime Kuma] up again: Shop (200 - OK)"),
        WebhookSample(
            "Uptime Kuma: test", #"{"heartbeat": null, "monitor": null, "msg": "My Notification Testing"}"#,
            "[Uptime Kuma] My Notification Testing"),
        WebhookSample(
            "Sentry: issue alert", headers: ["Sentry-Hook-Resource": "event_alert"],
            """
            {"action": "triggered", "actor": {"id": "sentry", "name": "Sentry", "type": "application"},
             "data": {"event": {"culprit": "app.js", "level": "error", "title": "ReferenceError: heck is not defined",
                "project": 1, "web_url": "https://sentry.io/organizations/test-org/issues/1170820242/"},
                "triggered_rule": "Very Important Alert Rule!"}, "installation": {"uuid": "a8e5d37a"}}
            """,
            "[Sentry] error: ReferenceError: heck is not defined [Very Important Alert Rule!] in app.js "
                + "https://sentry.io/organizations/test-org/issues/1170820242/"),
        WebhookSample(
            "Sentry: metric alert", headers: ["Sentry-Hook-Resource": "metric_alert"],
            """
            {"action": "critical", "actor": {"id": "sentry", "name": "Sentry", "type": "application"},
             "data": {"description_text": "1000 events in the last 10 minutes", "description_title": "Critical: Errors",
                "metric_alert": {"id": "4", "alert_rule": {"id": "7", "name": "Too many errors"}},
                "web_url": "https://sentry.io/organizations/test-org/alerts/4/"}, "installation": {"uuid": "a8e5"}}
            """,
            "[Sentry] FIRING Too many errors (critical): 1000 events in the last 10 minutes "
                + "https://sentry.io/organizations/test-org/alerts/4/"),
        WebhookSample(
            "Sentry: issue", headers: ["Sentry-Hook-Resource": "issue"],
            """
            {"action": "resolved", "actor": {"id": 1, "name": "Ada", "type": "user"},
             "data": {"issue": {"id": "1170820242", "shortId": "SHOP-1", "title": "TypeError: no such thing",
                "culprit": "cart", "level": "error", "web_url": "https://sentry.io/organizations/o/issues/1/",
                "project": {"id": "1", "name": "Shop", "slug": "shop"}}}}
            """,
            "[Shop] resolved: SHOP-1 TypeError: no such thing (by Ada) https://sentry.io/organizations/o/issues/1/"),
        WebhookSample(
            "Sentry's plugin WebHooks",
            """
            {"id": "27379932", "project": "shop", "project_name": "Shop", "culprit": "raven.scripts.runner",
             "level": "error", "url": "https://sentry.io/shop/issues/27379932/", "triggering_rules": [],
             "event": {"title": "This is an example"}}
            """,
            "[Shop] error: This is an example in raven.scripts.runner https://sentry.io/shop/issues/27379932/")
    ]
}
