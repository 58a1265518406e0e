import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contradictsBody } from './github-kind.ts'

const common = { action: 'created', repository: {}, sender: {} }

/** Bodies as GitHub's documentation describes them. */
const bodies: Readonly<Record<string, object>> = {
  ping: { zen: 'z', hook_id: 1, hook: {}, repository: {} },
  push: { ref: 'refs/heads/main', before: 'a', after: 'b', commits: [], head_commit: {}, pusher: {}, repository: {} },
  pull_request: { ...common, number: 1, pull_request: {}, label: {} },
  pull_request_review: { ...common, pull_request: {}, review: {} },
  pull_request_review_comment: { ...common, pull_request: {}, comment: {} },
  issues: { ...common, issue: {}, label: {}, milestone: {} },
  issue_comment: { ...common, issue: {}, comment: {} },
  discussion: { ...common, discussion: {}, answer: {} },
  workflow_run: { ...common, workflow_run: {}, workflow: {} },
  workflow_job: { ...common, workflow_job: {}, deployment: {} },
  deployment: { ...common, deployment: {}, workflow: null, workflow_run: null },
  deployment_status: { ...common, deployment: {}, deployment_status: {}, workflow_run: {}, check_run: {} },
  check_run: { ...common, check_run: {} },
  create: { ref: 'x', ref_type: 'tag', master_branch: 'main', pusher_type: 'user' },
  delete: { ref: 'x', ref_type: 'tag', pusher_type: 'user' },
  commit_comment: { ...common, comment: {} },
  release: { ...common, release: {} },
}

test('the body of an event fits its own kind and no other that is known', () => {
  for (const kind of Object.keys(bodies)) {
    for (const [own, body] of Object.entries(bodies)) {
      assert.equal(contradictsBody(kind, body), kind !== own, `the body of ${own} as ${kind}`)
    }
  }
})

test('what says nothing of its kind, and kinds that are not known, are taken', () => {
  for (const body of [{}, { repository: { name: 'app' } }, [], null, 'push', 7]) {
    assert.equal(contradictsBody('push', body), false)
  }
  assert.equal(contradictsBody('deployment_review', { workflow_run: {} }), false)
})
