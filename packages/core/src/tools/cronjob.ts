import { z } from 'zod'
import type { JobInput, JobStore } from '../cron/job-store.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext, ToolResult } from './tool.ts'

const input = z.object({
  action: z.enum(['create', 'list', 'update', 'pause', 'resume', 'remove', 'run', 'run_now', 'trigger']),
  job_id: z.string().optional().describe('For all actions but create and list'),
  prompt: z.string().optional().describe('What to do, complete in itself: a run knows nothing of this conversation'),
  schedule: z
    .string()
    .optional()
    .describe('"every 2h", "every weekday at 9", "0 9 * * 1-5"; once: "30m", "tomorrow at 8", "2026-12-24T18:00"'),
  name: z.string().optional(),
  repeat: z.int().optional().describe('Number of runs; default: once for a single time, else for ever'),
  deliver: z.string().optional().describe('origin (this chat), local (a file), platform, platform:chat[:thread]'),
  skills: z.array(z.string()).optional().describe('Skills to follow; on update [] clears them'),
  skill: z.string().optional().describe('One skill'),
  model: z
    .object({ provider: z.string().optional(), model: z.string() })
    .optional()
    .describe('Model of the runs; default: the configured one'),
  script: z
    .string()
    .optional()
    .describe("Python or shell file below the home's scripts/; its output comes before the prompt. '' clears it"),
  missed: z
    .enum(['skip', 'once', 'all'])
    .optional()
    .describe('Runs missed while the machine was off; default: once if little late'),
  include_disabled: z.boolean().default(true).describe('For list: also paused and completed jobs'),
  reason: z.string().optional().describe('For pause'),
})

type Args = z.infer<typeof input>

export const cronjob = defineTool({
  name: 'cronjob',
  toolset: 'cronjob',
  description:
    'Do things at set times: create, list, update, pause, resume, remove or run scheduled jobs. Each run is a new session in which nobody answers; its final answer is delivered by itself.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ action, schedule, name, job_id: id }) =>
    [action, name ?? id, schedule].filter((part) => part !== undefined).join(' '),
  async run(args, context) {
    const [{ openJobs }, { CronError }] = await Promise.all([
      import('../cron/job-store.ts'),
      import('../cron/cron-error.ts'),
    ])
    try {
      return await perform(args, openJobs(context.agent), context)
    } catch (error) {
      if (error instanceof CronError) return jsonResult({ success: false, error: error.message }, 'error')
      throw error
    }
  },
})

async function perform(args: Args, jobs: JobStore, context: ToolContext): Promise<ToolResult> {
  const { jobView } = await import('../cron/job-view.ts')
  const { action, job_id: id } = args
  const refused = await refuseScript(args, context)
  if (refused) return refused
  if (action === 'create') return create(args, jobs, context)
  if (action === 'list') {
    const all = (await jobs.list()).jobs.filter(({ enabled }) => enabled || args.include_disabled)
    return jsonResult({ success: true, count: all.length, jobs: all.map(jobView) })
  }
  if (id === undefined || id.trim() === '') {
    return jsonResult({ success: false, error: `job_id is required for ${action}; list shows the ids.` }, 'error')
  }
  if (action === 'remove') {
    const removed = jobView(await jobs.remove(id))
    const { job_id, name, schedule } = removed
    const message = `Job "${name}" is removed.`
    return jsonResult({ success: true, message, removed_job: { id: job_id, name, schedule } })
  }
  return jsonResult({ success: true, job: jobView(await change(args, id, jobs, context)) })
}

async function create(args: Args, jobs: JobStore, context: ToolContext): Promise<ToolResult> {
  const { jobView } = await import('../cron/job-view.ts')
  const job = jobView(await jobs.create({ ...fieldsOf(args, context), origin: originOf(context) }))
  const { job_id, name, skill, skills, schedule, repeat, deliver, next_run_at } = job
  const told = (await hasScheduler(context))
    ? ''
    : ' It runs while the gateway runs, which it does not now (hermes gateway).'
  const message = `Job "${name}" is scheduled.${told}`
  return jsonResult({
    success: true,
    job_id,
    name,
    skill,
    skills,
    schedule,
    repeat,
    deliver,
    next_run_at,
    job,
    message,
  })
}

function change(args: Args, id: string, jobs: JobStore, context: ToolContext) {
  if (args.action === 'pause') return jobs.pause(id, args.reason)
  if (args.action === 'resume') return jobs.resume(id)
  if (args.action === 'update') return jobs.edit(id, fieldsOf(args, context))
  return jobs.trigger(id)
}

/** A script runs unwatched, past the rules for commands: a person agrees to it first. A result where they do not. */
async function refuseScript({ action, script, schedule }: Args, context: ToolContext): Promise<ToolResult | undefined> {
  const isSet = (action === 'create' || action === 'update') && script !== undefined && script.trim() !== ''
  if (!isSet) return undefined
  const { askConsent } = await import('../security/consent/consent.ts')
  const when = schedule === undefined ? 'with a scheduled job' : `at set times (${schedule})`
  const consent = await askConsent(
    { kind: 'tool', subject: `run scripts/${script.trim()} ${when}`, dangers: [unwatchedScript] },
    context,
  )
  return consent.allowed ? undefined : jsonResult({ success: false, error: consent.message }, 'denied')
}

const unwatchedScript = { key: 'script of a scheduled job', permanent: false } as const

/** What a call says of a job. A model that is named without its provider is the one of the provider that answers now. */
function fieldsOf(args: Args, { turn }: ToolContext): JobInput {
  const { prompt, schedule, name, repeat, deliver, skills, skill, model, script, missed } = args
  const provider = model && (model.provider ?? turn.model.provider.name)
  return {
    prompt,
    schedule,
    name,
    repeat,
    deliver,
    skills: skills ?? (skill === undefined ? undefined : [skill]),
    script,
    ...(model && { model: model.model, provider }),
    ...(missed && { missed: { run: missed } }),
  }
}

/** The chat that the job is made in. */
function originOf({ turn }: ToolContext): JobInput['origin'] {
  const { chat } = turn.request.face
  if (!chat) return null
  const { platform, chatId, chatName, threadId } = chat
  return {
    platform,
    chat_id: chatId,
    ...(chatName !== undefined && { chat_name: chatName }),
    ...(threadId !== undefined && { thread_id: threadId }),
  }
}

async function hasScheduler({ agent }: ToolContext): Promise<boolean> {
  const { openRunStore } = await import('../cron/run-store.ts')
  using runs = await openRunStore(agent.home)
  return (await runs.schedulers()).length > 0
}
