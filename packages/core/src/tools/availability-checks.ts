import type { AgentContext } from '../agent/context.ts'
import type { Availability, LoadAvailability } from './availability.ts'
import type { ToolSession } from './tool-source.ts'

/** What a session lacks for the tools that depend on a check; undefined where it lacks nothing. */
export type LackOf = (
  load: LoadAvailability,
  context: AgentContext,
  session: ToolSession | undefined,
) => string | undefined | Promise<string | undefined>

/** Asks checks, which are loaded once; what they say is kept for as long as they say that it holds. */
export function createAvailabilityChecks(): LackOf {
  const loaded = new Map<LoadAvailability, Availability>()
  const told = new Map<Availability, { readonly lack: string | undefined; readonly at: number }>()
  const ask = (check: Availability, context: AgentContext, session: ToolSession | undefined) => {
    const known = told.get(check)
    const age = known && context.clock.now() - known.at
    // What was told in a time to come was told before a clock was set back.
    if (known && age !== undefined && age >= 0 && age < (check.freshMs ?? 0)) return known.lack
    const lack = lackToldBy(check, context, session)
    const { freshMs } = check
    if (freshMs === undefined) return lack
    const keep = (lack: string | undefined) => {
      told.set(check, { lack, at: context.clock.now() })
      return lack
    }
    return lack instanceof Promise ? lack.then(keep) : keep(lack)
  }
  return (load, context, session) => {
    const check = loaded.get(load)
    if (check) return ask(check, context, session)
    return load().then((check) => {
      loaded.set(load, check)
      return ask(check, context, session)
    })
  }
}

/** A check that fails takes its tools away, and nothing else. */
function lackToldBy(
  check: Availability,
  context: AgentContext,
  session: ToolSession | undefined,
): string | undefined | Promise<string | undefined> {
  const failed = (error: unknown) => {
    context.log.warn({ error: String(error) }, 'it cannot be told whether a tool is available')
    return `it cannot be told whether it is available: ${error instanceof Error ? error.message : String(error)}`
  }
  try {
    const lack = lackIn(check(context, session))
    return lack instanceof Promise ? lack.catch(failed) : lack
  } catch (error) {
    return failed(error)
  }
}

function lackIn(verdict: true | string | Promise<true | string>): string | undefined | Promise<string | undefined> {
  if (verdict instanceof Promise) return verdict.then(lackIn)
  return verdict === true ? undefined : verdict
}
