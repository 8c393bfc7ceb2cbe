extension WebhookSample {
    /// Payloads for chat services, and texts.
    static let chat: [WebhookSample] = [
        WebhookSample(
            "Slack: text", #"{"text": "Danny Torrence left a 1 star review for your property."}"#,
            "[webhook 1] Danny Torrence left a 1 star review for your property."),
        WebhookSample(
            "Slack: markup",
            #"{"text": "<!here> <@U024BE7LH|bob> sees <https://example.org/a?b=1&amp;c=2|the page> in <#C024BE7LR|dev>"#
                + #" &lt;3\nand <mailto:ada@example.org|ada>"}"#,
            "[webhook 1] here bob sees the page (https://example.org/a?b=1&c=2) in #dev <3", "[webhook 1] and ada"),
        WebhookSample(
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
        WebhookSample(
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
        WebhookSample(
            "Mattermost",
            """
            {"channel": "town-square", "username": "test-automation", "icon_url": "https://example.org/icon.png",
             "text": "#### Test results\\n@channel please review [the failed tests](https://example.org/tests)."}
            """,
            "[test-automation] #### Test results",
            "[test-automation] channel please review the failed tests (https://example.org/tests)."),
        WebhookSample(
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
        WebhookSample(
            "a title and a message", #"{"title": "Backup", "message": "1 error", "priority": 5}"#,
            "[webhook 1] Backup: 1 error"),
        WebhookSample(
            "an unknown payload",
            #"{"zeta": 1, "alert": {"id": 2, "name": "secret"}, "targets": [{"url": "https://example.org"}]}"#,
            "[webhook 1] I got a payload whose format I don't know. "
                + "Its keys: alert.id, alert.name, targets[].url, zeta"),
        WebhookSample(
            "an unknown list", #"[{"b": 1, "a": 2}]"#,
            "[webhook 1] I got a payload whose format I don't know. The keys of its first item: a, b"),
        WebhookSample("an empty text", #"{"text": " "}"#, "(it has no text)")
    ]
}
