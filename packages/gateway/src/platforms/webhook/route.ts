import { z } from 'zod'

const text = z.union([z.string(), z.number()]).transform(String)
const names = z
  .union([z.array(z.string()), z.string().transform((list) => list.split(','))])
  .transform((list) => list.map((name) => name.trim()).filter(Boolean))

/** One route, in upstream's form: of the settings, or of `webhook_subscriptions.json`. Fields not named here are kept. */
export const routeSchema = z.looseObject({
  description: z.string().optional(),
  /** Kinds of events that are let in; all where there are none. */
  events: names.default([]),
  secret: z.string().optional(),
  prompt: z.string().default(''),
  skills: names.default([]),
  /** `log`, `local`, `github_comment`, `url`, or a platform. */
  deliver: z.string().default('log'),
  deliver_extra: z
    .looseObject({
      chat_id: text.optional(),
      thread_id: text.optional(),
      message_thread_id: text.optional(),
      /** Of `github_comment`; default what the event is about. */
      repo: text.optional(),
      pr_number: text.optional(),
      /** Of `url`: where answers are posted to. */
      url: z.string().optional(),
    })
    .default({}),
  created_at: z.string().optional(),
})

export type WebhookRoute = z.infer<typeof routeSchema>

/** Routes by name. Throws `ZodError`. */
export const routesSchema = z.record(z.string().regex(/^[a-z0-9][\w.-]*$/i), routeSchema)
