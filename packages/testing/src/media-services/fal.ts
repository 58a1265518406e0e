// FAL's queue as its documentation describes it: https://docs.fal.ai/documentation/model-apis/inference/queue
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { bareRoute, ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply, StandInService } from '../memory-services/stand-in.ts'

/** A stand-in of FAL with two models. */
export interface StandInFal extends StandInService {
  readonly key: string
  /** What models were asked for, in order. */
  readonly inputs: readonly { readonly model: string; readonly input: Readonly<Record<string, unknown>> }[]
  /** Requests that their sender has given up. */
  readonly cancelled: readonly string[]
  /** Requests of a model end like this from now on. */
  readonly fail: (model: string, reply: Reply) => void
  /** Requests stay in the queue from now on. */
  readonly hold: () => void
}

const size = z.union([
  z.enum(['square_hd', 'square', 'portrait_4_3', 'portrait_16_9', 'landscape_4_3', 'landscape_16_9']),
  z.object({ width: z.int(), height: z.int() }),
])
const models: Readonly<Record<string, z.ZodType<Readonly<Record<string, unknown>>>>> = {
  'flux-2-pro': z.looseObject({
    prompt: z.string().min(1),
    image_size: size.default('landscape_4_3'),
    output_format: z.enum(['jpeg', 'png']).default('jpeg'),
    enable_safety_checker: z.boolean().default(true),
  }),
  'clarity-upscaler': z.looseObject({
    image_url: z.url(),
    prompt: z.string().optional(),
    upscale_factor: z.number().min(1).max(4).default(2),
  }),
}

export async function startFal(key = 'fal-stand-in-key'): Promise<StandInFal> {
  const inputs: { model: string; input: Readonly<Record<string, unknown>> }[] = []
  const requests = new Map<string, { model: string; looks: number }>()
  const cancelled: string[] = []
  const failures = new Map<string, Reply>()
  let isHeld = false
  const notFound: Reply = { status: 404, body: { detail: 'Not found' } }
  const known = (id: string | undefined) => (id === undefined ? undefined : requests.get(id))

  const service: StandInService = await startStandIn(
    [
      route('POST', '/fal-ai/:model', z.looseObject({}), ({ params, body }) => {
        const model = params['model'] ?? ''
        const parsed = models[model]?.safeParse(body)
        if (!parsed) return notFound
        if (!parsed.success) return { status: 422, body: { detail: z.prettifyError(parsed.error) } }
        inputs.push({ model, input: body })
        const id = randomUUID()
        requests.set(id, { model, looks: 0 })
        const address = `${service.url}/fal-ai/${model}/requests/${id}`
        return ok({
          request_id: id,
          status: 'IN_QUEUE',
          queue_position: 1,
          response_url: address,
          status_url: `${address}/status`,
          cancel_url: `${address}/cancel`,
        })
      }),
      bareRoute('GET', '/fal-ai/:model/requests/:id/status', ({ params }) => {
        const request = known(params['id'])
        if (!request) return notFound
        if (!isHeld) request.looks++
        if (request.looks < 2) return { status: 202, body: { status: 'IN_QUEUE', queue_position: 1 - request.looks } }
        return request.looks < 3 ? { status: 202, body: { status: 'IN_PROGRESS' } } : ok({ status: 'COMPLETED' })
      }),
      bareRoute('PUT', '/fal-ai/:model/requests/:id/cancel', ({ params }) => {
        cancelled.push(params['model'] ?? '')
        return { status: 202, body: { status: 'CANCELLATION_REQUESTED' } }
      }),
      bareRoute('GET', '/fal-ai/:model/requests/:id', ({ params }) => {
        const request = known(params['id'])
        if (!request || request.looks < 3) return { status: 400, body: { detail: 'Request is still in progress' } }
        const failure = failures.get(request.model)
        if (failure) return failure
        const file = {
          url: `https://fal.media/files/${request.model}.png`,
          content_type: 'image/png',
          width: 1,
          height: 1,
        }
        return ok(request.model === 'clarity-upscaler' ? { image: file, seed: 1 } : { images: [file], seed: 1 })
      }),
    ],
    {
      authorize: (headers) =>
        headers.authorization === `Key ${key}` ? undefined : { status: 401, body: { detail: 'Invalid API key' } },
      notFound,
      invalid: (error) => ({ status: 422, body: { detail: z.prettifyError(error) } }),
    },
  )
  return Object.assign(service, {
    key,
    inputs,
    cancelled,
    fail: (model: string, reply: Reply) => void failures.set(model, reply),
    hold: () => {
      isHeld = true
    },
  })
}
