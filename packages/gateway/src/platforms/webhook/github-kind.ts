/**
 * The kinds of GitHub's events by fields that their bodies have, the narrower ones first; others cannot be told so.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
const shapes: readonly (readonly [kind: string, fields: readonly string[]])[] = [
  ['ping', ['zen', 'hook_id']],
  ['issue_comment', ['issue', 'comment']],
  ['discussion_comment', ['discussion', 'comment']],
  ['pull_request_review_comment', ['pull_request', 'comment']],
  ['pull_request_review_thread', ['pull_request', 'thread']],
  ['pull_request_review', ['pull_request', 'review']],
  ['pull_request', ['pull_request', 'number']],
  ['issues', ['issue']],
  ['discussion', ['discussion']],
  ['deployment_status', ['deployment_status', 'deployment']],
  ['workflow_job', ['workflow_job']],
  // It may name the run that made it.
  ['deployment', ['deployment']],
  ['workflow_run', ['workflow_run']],
  ['check_run', ['check_run']],
  ['check_suite', ['check_suite']],
  ['push', ['ref', 'before', 'after', 'commits']],
  ['create', ['ref', 'ref_type', 'master_branch']],
  ['delete', ['ref', 'ref_type', 'pusher_type']],
  ['repository_dispatch', ['client_payload', 'branch']],
  ['workflow_dispatch', ['workflow', 'inputs', 'ref']],
  ['commit_comment', ['comment']],
  ['status', ['sha', 'state', 'context', 'branches']],
  ['release', ['release']],
  ['fork', ['forkee']],
  ['gollum', ['pages']],
  ['star', ['starred_at']],
]

/**
 * Whether the body is of another kind than a header says: GitHub signs the body alone, so that a request that somebody has
 * caught could be sent under another kind. A body that says nothing of its kind contradicts none, nor does one a kind that
 * is not known here.
 */
export function contradictsBody(kind: string, payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || !shapes.some(([known]) => known === kind)) return false
  const told = shapes.find(([, fields]) => fields.every((field) => Object.hasOwn(payload, field)))
  return told !== undefined && told[0] !== kind
}
