import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFal } from '@hermes/testing/media-services/fal.ts'
import type { StandInFal } from '@hermes/testing/media-services/fal.ts'
import { runToolTurn } from '@hermes/testing/tool-turn.ts'
import { imageGenerate } from './image-generate.ts'
import { testSession } from './test-session.ts'

const environmentOf = ({ url, key }: StandInFal) => ({ FAL_QUEUE_URL: url, FAL_KEY: key })

test('a turn makes an image, twice as large as the model does, and people see how far it is', async () => {
  await using fal = await startFal()
  const { json, progress } = await runToolTurn({
    tool: 'image_generate',
    args: { prompt: 'An elephant', aspect_ratio: 'portrait' },
    home: { '.env': `FAL_KEY=${fal.key}\nFAL_QUEUE_URL=${fal.url}\n` },
  })
  assert.deepEqual(json, { success: true, image: 'https://fal.media/files/clarity-upscaler.png' })
  assert.deepEqual(progress, ['Waiting for FAL', 'Making the image', 'Making the image larger'])
  assert.deepEqual(fal.inputs, [
    {
      model: 'flux-2-pro',
      input: {
        prompt: 'An elephant',
        image_size: 'portrait_16_9',
        num_inference_steps: 50,
        guidance_scale: 4.5,
        num_images: 1,
        output_format: 'png',
        enable_safety_checker: false,
      },
    },
    {
      model: 'clarity-upscaler',
      input: { image_url: 'https://fal.media/files/flux-2-pro.png', prompt: 'An elephant', upscale_factor: 2 },
    },
  ])
})

test('an image that cannot be made larger is given as it is', async () => {
  await using fal = await startFal()
  fal.fail('clarity-upscaler', { status: 422, body: { detail: [{ msg: 'out of credit', loc: ['body'] }] } })
  await using session = await testSession({ environment: environmentOf(fal) })
  const { json, status } = await session.run(imageGenerate, { prompt: 'An elephant' })
  assert.equal(status, 'ok')
  assert.equal(json.image, 'https://fal.media/files/flux-2-pro.png')
  assert.match(json.note, /out of credit/)
})

test('failures have a type, and never the key', async () => {
  await using fal = await startFal()
  const run = async (environment: Readonly<Record<string, string>>, prompt = 'An elephant') => {
    await using session = await testSession({ environment })
    const { json } = await session.run(imageGenerate, { prompt })
    assert.deepEqual([json.success, json.image], [false, null])
    assert.doesNotMatch(JSON.stringify(json), /wrong-key|stand-in-key/)
    return json
  }
  assert.match((await run({})).error, /FAL_KEY is not set/)
  assert.equal((await run(environmentOf(fal), ' ')).error_type, 'invalid_request')
  const refused = await run({ ...environmentOf(fal), FAL_KEY: 'wrong-key' })
  assert.deepEqual([refused.error_type, /FAL_KEY/.test(refused.error)], ['auth', true])
  fal.fail('flux-2-pro', { status: 422, body: { detail: [{ msg: 'content policy', loc: ['body', 'prompt'] }] } })
  const policy = await run(environmentOf(fal))
  assert.deepEqual([policy.error_type, /content policy/.test(policy.error)], ['refused', true])
  fal.misbehave({ type: 'garbage' })
  assert.equal((await run(environmentOf(fal))).error_type, 'malformed')
  assert.equal((await run({ FAL_KEY: 'k', FAL_QUEUE_URL: 'http://127.0.0.1:9' })).error_type, 'unreachable')
})

test('an address elsewhere is not followed with the key', async () => {
  await using fal = await startFal()
  await using elsewhere = await startFal()
  const ticket = `${elsewhere.url}/fal-ai/flux-2-pro/requests/1`
  const body = { request_id: '1', status_url: ticket, response_url: ticket, cancel_url: ticket }
  fal.refuse('flux-2-pro', { status: 200, body })
  await using session = await testSession({ environment: environmentOf(fal) })
  assert.equal((await session.run(imageGenerate, { prompt: 'An elephant' })).json.error_type, 'malformed')
  assert.equal(elsewhere.requests.length, 0)
})

test('who stops takes the request out of the queue', async () => {
  await using fal = await startFal()
  fal.hold()
  const stop = new AbortController()
  await using session = await testSession({ environment: environmentOf(fal), signal: stop.signal })
  const waiting = { ...session.context, progress: () => stop.abort(new Error('stop')) }
  await assert.rejects(imageGenerate.run({ prompt: 'An elephant', aspect_ratio: 'square' }, waiting), /stop/)
  assert.deepEqual(fal.cancelled, ['flux-2-pro'])
})
