import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startApiServer } from '../start-api-server.ts'
import { testHeaders, testSettings } from '../test-settings.ts'

test('jobs are made, listed, changed, paused and removed as upstream’s clients do it', async () => {
  await using agent = await startScriptedAgent()
  await using server = await startApiServer({ agent: agent.context, settings: testSettings() })
  const call = async (method: string, path: string, body?: unknown) => {
    const init = { method, headers: testHeaders, body: body === undefined ? undefined : JSON.stringify(body) }
    const response = await fetch(`${server.url}/api/jobs${path}`, init)
    // Shapes of one's own server; the assertions below look at single values.
    // oxlint-disable-next-line typescript/no-explicit-any
    return { status: response.status, body: (await response.json()) as any }
  }
  const made = await call('POST', '', { name: 'News', schedule: 'every 2h', prompt: 'Read the news' })
  assert.equal(made.status, 200)
  const { id } = made.body.job
  assert.match(id, /^[0-9a-f]{12}$/)
  assert.equal(made.body.job.deliver, 'local')
  const changed = await call('PATCH', `/${id}`, { schedule: '0 9 * * *', skill: 'reading' })
  assert.equal(changed.body.job.schedule.kind, 'cron', 'the schedule is read, not stored as text')
  assert.deepEqual(changed.body.job.skills, ['reading'])
  assert.equal((await call('POST', `/${id}/pause`)).body.job.enabled, false)
  assert.deepEqual((await call('GET', '')).body.jobs, [])
  assert.equal((await call('GET', '?include_disabled=true')).body.jobs.length, 1)
  assert.equal((await call('POST', `/${id}/resume`)).body.job.enabled, true)
  assert.equal((await call('POST', `/${id}/run`)).body.job.id, id)
  assert.equal((await call('GET', `/${id}`)).body.job.name, 'News')
  for (const [path, status] of [
    ['/0123456789ab', 404],
    ['/News', 400],
  ] as const) {
    const answer = await call('GET', path)
    assert.equal(answer.status, status)
    assert.equal(typeof answer.body.error, 'string')
  }
  for (const body of [{}, { nothing: 1 }, { repeat: 0 }, { schedule: 'some day' }]) {
    assert.equal((await call('PATCH', `/${id}`, body)).status, 400)
  }
  assert.equal((await call('POST', '', { schedule: 'every 2h', prompt: 'x' })).status, 400)
  assert.deepEqual((await call('DELETE', `/${id}`)).body, { ok: true })
  assert.equal((await call('GET', `/${id}`)).status, 404)
})
