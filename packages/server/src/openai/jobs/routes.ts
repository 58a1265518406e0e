import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { CronError, CronErrorCode } from '@hermes/core/cron/cron-error.ts'
import type { CronJob } from '@hermes/core/cron/job.ts'
import type { JobInput, JobStore } from '@hermes/core/cron/job-store.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { Exchange, Route } from '../../http/exchange.ts'
import { HttpError } from '../../http/http-error.ts'
import { invalidBody } from '../invalid-body.ts'

const fields = lazily(() => ({
  name: z.string().trim().min(1).max(200),
  schedule: z.string().trim().min(1),
  prompt: z.string().max(5_000),
  deliver: z.string(),
  skills: z.array(z.string()),
  repeat: z.int().min(1),
}))

const newJob = lazily(() =>
  z.looseObject({
    ...fields(),
    prompt: fields().prompt.default(''),
    deliver: fields().deliver.default('local'),
    skills: fields().skills.optional(),
    repeat: fields().repeat.nullish(),
  }),
)

const jobChange = lazily(() =>
  z
    .object({ ...fields(), skill: z.string(), enabled: z.boolean() })
    .partial()
    .refine((change) => Object.values(change).some((value) => value !== undefined), 'There is nothing to change.'),
)

/** `/api/jobs`: the profile's scheduled jobs. */
export function jobRoutes(agent: AgentContext): readonly Route[] {
  let opening: Promise<JobStore> | undefined
  const open = () => (opening ??= import('@hermes/core/cron/job-store.ts').then(({ openJobs }) => openJobs(agent)))

  type Handle = (exchange: Exchange, jobs: JobStore) => Promise<void>
  const route = (method: Route['method'], path: string, handle: Handle): Route => ({
    method,
    path,
    // Upstream's form here, unlike everywhere else.
    errorBody: ({ message }) => ({ error: message }),
    async handle(exchange) {
      const { CronError } = await import('@hermes/core/cron/cron-error.ts')
      try {
        await handle(exchange, await open())
      } catch (error) {
        throw error instanceof CronError ? httpError(error) : error
      }
    },
  })
  const act = (name: string, action: (jobs: JobStore, id: string) => Promise<CronJob>) =>
    route('POST', `/api/jobs/:id/${name}`, async (exchange, jobs) => {
      exchange.send(200, { job: await action(jobs, await existing(exchange, jobs)) })
    })

  return [
    route('GET', '/api/jobs', async (exchange, jobs) => {
      const isAll = ['1', 'true'].includes(exchange.query.get('include_disabled') ?? '')
      const { jobs: all } = await jobs.list()
      exchange.send(200, { jobs: isAll ? all : all.filter(({ enabled }) => enabled) })
    }),
    route('POST', '/api/jobs', async (exchange, jobs) => {
      const { name, schedule, prompt, deliver, skills, repeat } = parsed(newJob(), await exchange.json())
      const input = { name, schedule, prompt, deliver, skills, repeat: repeat ?? undefined }
      exchange.send(200, { job: await jobs.create(input) })
    }),
    route('GET', '/api/jobs/:id', async (exchange, jobs) => {
      const id = await existing(exchange, jobs)
      const { jobs: all } = await jobs.list()
      exchange.send(200, { job: all.find((job) => job.id === id) })
    }),
    route('PATCH', '/api/jobs/:id', async (exchange, jobs) => {
      const id = await existing(exchange, jobs)
      const { enabled, skill, ...change } = parsed(jobChange(), await exchange.json())
      const input: JobInput = { ...(skill !== undefined && { skills: skill === '' ? [] : [skill] }), ...change }
      let job = Object.keys(input).length > 0 ? await jobs.edit(id, input) : undefined
      if (enabled !== undefined) job = await (enabled ? jobs.resume(id) : jobs.pause(id))
      exchange.send(200, { job })
    }),
    route('DELETE', '/api/jobs/:id', async (exchange, jobs) => {
      await jobs.remove(await existing(exchange, jobs))
      exchange.send(200, { ok: true })
    }),
    act('pause', (jobs, id) => jobs.pause(id)),
    act('resume', (jobs, id) => jobs.resume(id)),
    act('run', (jobs, id) => jobs.trigger(id)),
  ]
}

/** The id in the path, of a job that there is. Throws `HttpError`. */
async function existing({ params: { id = '' } }: Exchange, jobs: JobStore): Promise<string> {
  if (!/^[0-9a-f]{12}$/.test(id)) throw new HttpError(400, 'invalid_job_id', 'A job id has 12 hexadecimal digits.')
  const { jobs: all } = await jobs.list()
  if (!all.some((job) => job.id === id)) throw new HttpError(404, 'no_such_job', 'Job not found')
  return id
}

function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const result = schema.safeParse(body)
  if (!result.success) throw invalidBody(result.error, body)
  return result.data
}

const statuses: Partial<Record<CronErrorCode, number>> = {
  'bad-schedule': 400,
  'bad-job': 400,
  'bad-script': 400,
  injection: 400,
  'no-such-job': 404,
}

function httpError({ code, message }: CronError): HttpError {
  return new HttpError(statuses[code] ?? 500, code.replaceAll('-', '_'), message)
}
