import Heybot

extension WebhookSample {
    private static let gitLabProject = """
        "project": {"id": 15, "name": "Diaspora", "web_url": "https://gitlab.example.org/mike/diaspora",
            "path_with_namespace": "mike/diaspora"}
        """
    private static let giteaRepository =
        #""repository": {"id": 140, "name": "webhooks", "full_name": "gitea/webhooks"}, "sender": {"login": "ada"}"#

    /// Events of repositories.
    static let code: [WebhookSample] = [
        WebhookSample(
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
        WebhookSample(
            "GitLab: tag",
            """
            {"object_kind": "tag_push", "before": "0000000000000000", "after": "82b3d5ae55f7", "ref": "refs/tags/v1.0",
             "user_name": "John Smith", \(gitLabProject), "commits": [], "total_commits_count": 0}
            """,
            "[Diaspora] John Smith pushed tag v1.0 https://gitlab.example.org/mike/diaspora/-/commits/v1.0"),
        WebhookSample(
            "GitLab: merge request",
            """
            {"object_kind": "merge_request", "event_type": "merge_request", "user": {"name": "Ada", "username": "ada"},
             \(gitLabProject), "object_attributes": {"id": 99, "iid": 1, "title": "MS-Viewport", "action": "merge",
                "draft": false, "url": "https://gitlab.example.org/mike/diaspora/-/merge_requests/1"}}
            """,
            "[Diaspora] Ada merged merge request !1: MS-Viewport "
                + "https://gitlab.example.org/mike/diaspora/-/merge_requests/1"),
        WebhookSample(
            "GitLab: issue",
            """
            {"object_kind": "issue", "user": {"name": "Ada"}, \(gitLabProject),
             "object_attributes": {"iid": 23, "title": "New API: create", "action": "open",
                "url": "https://gitlab.example.org/mike/diaspora/-/issues/23"}}
            """,
            "[Diaspora] Ada opened issue #23: New API: create "
                + "https://gitlab.example.org/mike/diaspora/-/issues/23"),
        WebhookSample(
            "GitLab: comment",
            """
            {"object_kind": "note", "user": {"name": "Ada"}, \(gitLabProject), "merge_request": {"iid": 1},
             "object_attributes": {"note": "This MR needs work.\\nReally.", "noteable_type": "MergeRequest",
                "action": "create", "url": "https://gitlab.example.org/1#note_1244"}}
            """,
            "[Diaspora] Ada commented on merge request !1: This MR needs work. https://gitlab.example.org/1#note_1244"),
        WebhookSample(
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
        WebhookSample(
            "GitLab: job",
            """
            {"object_kind": "build", "ref": "main", "build_id": 1977, "build_name": "test", "build_status": "failed",
             "build_allow_failure": false, "project_name": "GitLab Org / diaspora",
             "repository": {"name": "diaspora", "homepage": "https://gitlab.example.org/mike/diaspora"}}
            """,
            "[diaspora] the job test failed on main https://gitlab.example.org/mike/diaspora/-/jobs/1977"),
        WebhookSample(
            "GitLab: deployment",
            """
            {"object_kind": "deployment", "status": "success", "deployable_url": "https://gitlab.example.org/jobs/796",
             "environment": "staging", \(gitLabProject), "short_sha": "279484c0", "ref": "main",
             "user": {"name": "Ada"}}
            """,
            "[Diaspora] Ada deployed main to staging https://gitlab.example.org/jobs/796"),
        WebhookSample(
            "GitLab: release",
            """
            {"object_kind": "release", "action": "create", "tag": "v1.1", "name": "v1.1", \(gitLabProject),
             "url": "https://gitlab.example.org/mike/diaspora/-/releases/v1.1"}
            """,
            "[Diaspora] release v1.1 was published https://gitlab.example.org/mike/diaspora/-/releases/v1.1"),
        WebhookSample(
            "GitLab: another event", #"{"object_kind": "emoji", "event_type": "award"}"#,
            "(I don't post this emoji event)"),
        WebhookSample(
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
        WebhookSample(
            "Gitea: pull request", headers: ["X-Gitea-Event": "pull_request"],
            """
            {"action": "closed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "merged": true, "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"}}
            """,
            "[webhooks] ada merged pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        WebhookSample(
            "Gitea: review", headers: ["X-Gitea-Event": "pull_request_approved"],
            """
            {"action": "reviewed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"},
             "review": {"type": "pull_request_review_approved", "content": "good"}}
            """,
            "[webhooks] ada approved pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        WebhookSample(
            "Gitea: review with comments only", headers: ["X-Gitea-Event": "pull_request_comment"],
            """
            {"action": "reviewed", "number": 2, \(giteaRepository), "pull_request": {"number": 2, "title": "Turn it",
                "html_url": "https://gitea.example.org/gitea/webhooks/pulls/2"},
             "review": {"type": "pull_request_review_comment", "content": "why?"}}
            """,
            "[webhooks] ada reviewed pull request #2: Turn it https://gitea.example.org/gitea/webhooks/pulls/2"),
        WebhookSample(
            "Gitea: comment", headers: ["X-Gitea-Event": "issue_comment"],
            """
            {"action": "created", "is_pull": false, "issue": {"number": 3}, \(giteaRepository),
             "comment": {"body": "Me too", "html_url": "https://gitea.example.org/gitea/webhooks/issues/3#c1"}}
            """,
            "[webhooks] ada commented on issue #3: Me too https://gitea.example.org/gitea/webhooks/issues/3#c1"),
        WebhookSample(
            "Gitea: release, without headers",
            """
            {"action": "published", \(giteaRepository), "release": {"tag_name": "v1", "name": "First",
                "prerelease": false, "html_url": "https://gitea.example.org/gitea/webhooks/releases/tag/v1"}}
            """,
            "[webhooks] ada published release v1: First https://gitea.example.org/gitea/webhooks/releases/tag/v1")
    ]

    /// Builds.
    static let builds: [WebhookSample] = [
        WebhookSample(
            "Jenkins",
            """
            {"name": "asgard", "display_name": "asgard", "url": "job/asgard/", "build": {
                "full_url": "https://jenkins.example.org/job/asgard/18/", "number": 18, "phase": "COMPLETED",
                "status": "FAILURE", "url": "job/asgard/18/", "scm": {"url": "https://github.com/evgeny-goldin/asgard",
                    "branch": "origin/master", "commit": "c6d86dc654b1"},
                "test_summary": {"total": 40, "failed": 2, "passed": 38, "skipped": 0}, "artifacts": {}}}
            """,
            "[Jenkins] asgard #18 failed on master (2 of 40 tests failed) https://jenkins.example.org/job/asgard/18/"),
        WebhookSample(
            "Jenkins: started", #"{"name": "asgard", "build": {"number": 18, "phase": "STARTED"}}"#,
            "(I only post builds that have ended)")
    ]
}
