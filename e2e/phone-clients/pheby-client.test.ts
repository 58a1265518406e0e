import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestPheby, secret } from '@hermes/gateway/platforms/pheby/test-pheby.ts'
import { PhebyClient, PhebyError } from '@hermes/sdk'
import type { PhebyEvents } from '@hermes/sdk'

test('each method of the Pheby client does its work on a real gateway', { timeout: 60_000 }, async () => {
  const clip = randomBytes(300_000)
  await using all = await openTestPheby({
    script(request) {
      if (!request.body.tools) return { text: 'A title' }
      const text = JSON.stringify((request.body.messages ?? []).findLast(({ role }) => role === 'user')?.content)
      const isOver = request.body.messages?.at(-1)?.role === 'tool'
      if (text.includes('hang')) return { fault: { type: 'stall' } }
      if (text.includes('clip')) return { text: 'Here.\nMEDIA:./clip.mp4' }
      if (isOver) return { text: 'Done.' }
      if (text.includes('clean')) return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
      return { toolCalls: [{ name: 'clarify', arguments: { question: 'Which?', choices: ['red', 'blue'] } }] }
    },
  })
  await writeFile(join(all.agent.work, 'clip.mp4'), clip)
  await assert.rejects(new PhebyClient(all.url, 'wrong').connect(), refusedAs('unauthorized'))

  await using client = new PhebyClient(all.url, secret, { reconnect: { initialMs: 5 } })
  const next = <Name extends keyof PhebyEvents>(name: Name): Promise<PhebyEvents[Name]> =>
    new Promise((resolve) => {
      const off = client.on(name, (event) => {
        off()
        resolve(event)
      })
    })
  /** Sends a message and waits for the end of its run. */
  const run = async (text: string) => {
    const finished = next('run.finished')
    const complete = next('message.complete')
    await client.send(id, text)
    assert.equal((await finished).status, 'completed')
    return (await complete).text
  }

  assert.equal((await client.connect()).server, 'pheby')
  assert.ok(client.isConnected)
  assert.equal((await client.ping()).type, 'pong')
  const { conversation_id: id } = await client.createConversation('First')
  assert.deepEqual((await client.watchConversation(id)).messages, [])
  assert.equal((await client.renameConversation(id, 'Renamed')).name, 'Renamed')
  assert.deepEqual(
    (await client.listConversations()).map(({ name }) => name),
    ['Renamed'],
  )

  client.on('approval.request', ({ approval_id: approval }) => client.respondApproval(approval, 'once'))
  assert.equal(await run('clean up'), 'Done.')
  await assert.rejects(client.respondApproval('none', 'deny', 'no'), refusedAs('approval_not_found'))
  client.on('clarify.request', ({ clarify_id: question }) => client.respondClarify(question, 'green'))
  assert.equal(await run('choose'), 'Done.')
  await assert.rejects(client.respondClarify('none', 'x'), refusedAs('clarify_not_found'))

  const added = next('attachment.added')
  assert.equal(await run('send the clip'), 'Here.')
  const { attachment } = await added
  assert.ok(Buffer.from(await (await client.downloadAttachment(attachment)).arrayBuffer()).equals(clip))
  await assert.rejects(client.downloadAttachment({ download_path: '/attachments/none' }), refusedAs('not_found'))

  const { run_id: runId } = await client.send(id, 'hang')
  await assert.rejects(client.send(id, 'more'), refusedAs('run_active'))
  const [cancelled, told] = await Promise.all([client.cancel(id, runId), next('run.finished')])
  assert.deepEqual([cancelled.status, told.run_id], ['cancelled', runId])
  await assert.rejects(client.cancel(id, runId), refusedAs('not_found'))

  const { current_model: model, current_provider: provider } = await client.listModels(id)
  assert.equal(model, 'scripted-model')
  assert.equal((await client.currentModel(id)).model, model)
  assert.equal((await client.setModel('other-model', { provider, conversationId: id })).scope, 'conversation')
  assert.equal((await client.currentModel(id)).model, 'other-model')
  assert.equal((await client.currentModel()).model, model)
  assert.equal((await client.setReasoning('high', id)).effort, 'high')
  assert.equal((await client.currentReasoning(id)).effort, 'high')

  // What came by events is what the server shows.
  const said = ['clean up', 'Done.', 'choose', 'Done.', 'send the clip', 'Here.']
  const texts = (history: PhebyEvents['conversation.history']) => history.messages.map(({ text }) => text)
  const opened = await client.openConversation(id, 200)
  assert.deepEqual(texts(opened).slice(0, 6), said)
  client.unwatchConversation(id)
  assert.equal((await client.deleteConversation(id)).conversation_id, id)
  await assert.rejects(client.openConversation(id), refusedAs('conversation_not_found'))

  const lost = next('disconnected')
  await all.stop()
  await lost
  await assert.rejects(client.ping(), refusedAs('disconnected'))
})

function refusedAs(code: string): (error: unknown) => boolean {
  return (error) => error instanceof PhebyError && error.code === code
}
