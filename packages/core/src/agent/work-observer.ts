import type { Usage } from '../models/model.ts'
import type { CallCost } from '../models/pricing.ts'

/** A piece of work as it begins: what is done, and nothing of what people say in it but through `text`. */
export type Work =
  | {
      readonly kind: 'turn'
      readonly sessionId: string
      /** Of the face that asks: `cli`, a platform's name … */
      readonly face: string
      readonly isSubAgent: boolean
      readonly text: () => string
    }
  | { readonly kind: 'model-call'; readonly provider: string; readonly model: string }
  | { readonly kind: 'tool-call'; readonly tool: string; readonly callId: string; readonly text: () => string }
  /** A message goes out to a chat. */
  | { readonly kind: 'delivery'; readonly platform: string; readonly part: 'text' | 'file' }
  /** A scheduled job runs. */
  | { readonly kind: 'job-run'; readonly jobId: string }
  | {
      readonly kind: 'request'
      readonly method: string
      /** As the server names it, e.g. `/v1/runs/:id`. */
      readonly route: string
      /** The client's own trace (W3C trace context). */
      readonly traceparent?: string
    }

export type WorkKind = Work['kind']

/** How a piece of work ended. */
export interface WorkEnd {
  /** One of the few words of its kind: `ok`, `error`, a `TurnStatus`, the status of an HTTP answer … */
  readonly status: string
  readonly isFailure?: boolean
  /** Code of what went wrong. */
  readonly code?: string
  readonly usage?: Usage
  readonly modelCalls?: number
  /** What came of it, as people see it. */
  readonly text?: () => string
}

/** What happens at one moment. */
export type WorkNote =
  /** A message of a person came in, and what was done with it. */
  | { readonly kind: 'message'; readonly platform: string; readonly outcome: string }
  | { readonly kind: 'platform-state'; readonly platform: string; readonly state: string }
  /** What a call of a model took. */
  | {
      readonly kind: 'spent'
      readonly provider: string
      readonly model: string
      readonly usage: Usage
      readonly cost: CallCost
    }

/**
 * Watches what the agent does, for metrics and traces. It never throws and never waits. Where nobody watches there is none,
 * so that nothing is paid for it.
 */
export interface WorkObserver {
  /** The work belongs to the one whose `run` it begins in. */
  begin(work: Work): ObservedWork
  note(note: WorkNote): void
}

/** A piece of work under way. */
export interface ObservedWork {
  /** Runs what it consists of. */
  run<T>(task: () => T): T
  /** Once. */
  end(end: WorkEnd): void
}

/** Does a piece of work with the observer, where there is one, watching. */
export function observed<T>(
  observer: WorkObserver | undefined,
  work: () => Work,
  task: () => Promise<T>,
  endOf: (result: T) => WorkEnd,
): Promise<T> {
  return observer ? watched(observer.begin(work()), task, endOf) : task()
}

async function watched<T>(work: ObservedWork, task: () => Promise<T>, endOf: (result: T) => WorkEnd): Promise<T> {
  let end: WorkEnd = { status: 'error', isFailure: true }
  try {
    const result = await work.run(task)
    end = endOf(result)
    return result
  } catch (error) {
    end = { ...end, code: failureCode(error) }
    throw error
  } finally {
    work.end(end)
  }
}

/** What a failure is counted under: its own code, or the name of its class. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Several that watch the same. Undefined where there is none. */
export function observersAsOne(observers: readonly WorkObserver[]): WorkObserver | undefined {
  if (observers.length < 2) return observers[0]
  return {
    begin(work) {
      const begun = observers.map((observer) => observer.begin(work))
      return {
        run: (task) => begun.reduce((inner, one) => () => one.run(inner), task)(),
        end: (end) => begun.forEach((one) => one.end(end)),
      }
    },
    note: (note) => observers.forEach((observer) => observer.note(note)),
  }
}
