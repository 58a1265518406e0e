import type { AgentContext } from '../agent/context.ts'
import { getAt } from '../config/tree.ts'
import type { ToolSchema } from '../models/model.ts'
import { createListMemo } from '../storage/list-memo.ts'
import { availability } from './availability.ts'
import type { Availability } from './availability.ts'
import { tools } from './registry.ts'
import type { Tool } from './tool.ts'
import { toolFacts } from './tool-facts.ts'
import type { ToolFacts } from './tool-facts.ts'
import { withFinders } from './tool-search/deferred-tools.ts'
import { defaultToolsets, finderTools, noMcpServers, toolsOf } from './toolsets.ts'

/** A tool that a turn may use, before it is loaded. */
export interface ToolHandle extends Pick<ToolFacts, 'name' | 'toolset' | 'concurrency' | 'isRare'> {
  /** As the model sees it. */
  readonly schema: ToolSchema
  /** Not part of the requests: the model finds it by `tool_search` and calls it by `use_tool`. */
  readonly isDeferred?: boolean
  /** Loads the tool itself. */
  open(): Promise<Tool>
}

/** A built-in tool, and why this profile cannot use it where it cannot. */
export interface ToolStanding extends Pick<ToolFacts, 'name' | 'toolset' | 'description'> {
  readonly missing?: string
}

/** Whose tools they are. */
export interface ToolSession {
  readonly id: string
  /** The face or platform: `cli`, `telegram` … */
  readonly platform: string
}

/** The tools of a profile. */
export interface ToolSource {
  /** The usable tools of some toolsets (default: all), sorted by name; unknown toolset names are left out. */
  load(toolsets: readonly string[] | undefined, session?: ToolSession): Promise<ReadonlyMap<string, ToolHandle>>
  /** The built-in tools of some toolsets (default: all), also those that cannot be used, for people. */
  survey(toolsets: readonly string[] | undefined): Promise<readonly ToolStanding[]>
}

/** Longest that the tools of others are waited for at the beginning of a turn, ms. */
const contributorTimeoutMs = 15_000

/** What a request carries of a turn's tools. */
export function requestSchemas(handles: ReadonlyMap<string, ToolHandle>): readonly ToolSchema[] {
  return [...handles.values()].filter(({ isDeferred }) => !isDeferred).map(({ schema }) => schema)
}

/** `agent` is asked when tools are loaded, so that the source can be part of it. */
export function createToolSource(agent: () => AgentContext): ToolSource {
  let facts: Promise<ReadonlyMap<string, ToolFacts>> | undefined
  const known = createKnownSets()
  const handleOf = createHandles()
  const checks: Checks = { loaded: new Map(), told: new Map() }
  const built = createListMemo<unknown, ReadonlyMap<string, ToolHandle>>()
  const allFacts = () => (facts ??= toolFacts().then((all) => new Map(all.map((facts) => [facts.name, facts]))))

  return {
    async load(toolsets, session) {
      const facts = await allFacts()
      const context = agent()
      const { tools: names, unknown } = known(toolsets ?? defaultToolsets)
      const missing = createAsker(context, session, checks)
      const asking = names.map((name) => usableHandle(facts.get(name), context, missing, handleOf))
      const [slow, contributed] = await Promise.all([
        Promise.all(asking.filter((one) => one instanceof Promise)),
        contributedHandles(context, toolsets, session),
      ])
      const own = [...asking.flatMap((one) => (one === undefined || one instanceof Promise ? [] : [one])), ...slow]
      const handles = new Map(contributed.map((handle) => [handle.name, handle]))
      for (const handle of own) if (handle) handles.set(handle.name, handle)
      warnOfUnknown(unknown, handles, context)
      const mode = context.config.tools?.search
      return built([mode, ...handles.values()], () => {
        const sorted = [...handles.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
        const finders = finderTools.flatMap((name) => handleOf(facts.get(name)) ?? [])
        return withFinders(sorted, finders, mode)
      })
    },
    async survey(toolsets = defaultToolsets) {
      const facts = await allFacts()
      const missing = createAsker(agent(), undefined, checks)
      const standings = toolsOf(toolsets).tools.map(async (each): Promise<ToolStanding | undefined> => {
        const one = facts.get(each)
        if (!one) return undefined
        const { name, toolset, description } = one
        const reason = await missing(one)
        return { name, toolset, description, ...(reason !== undefined && { missing: reason }) }
      })
      return (await Promise.all(standings)).filter((standing) => standing !== undefined)
    },
  }
}

/** A handle on a tool, unless this profile cannot use it: the log says why. */
function usableHandle(
  facts: ToolFacts | undefined,
  context: AgentContext,
  missing: Asker,
  handleOf: HandleOf,
): ToolHandle | undefined | Promise<ToolHandle | undefined> {
  if (!facts) return undefined
  const unlessMissing = (reason: string | undefined) => {
    if (reason === undefined) return handleOf(facts)
    context.log.debug({ tool: facts.name, reason }, 'tool is not available')
    return undefined
  }
  const asked = missing(facts)
  // Nearly all are told at once, and a promise for each tool of each turn adds up.
  return asked instanceof Promise ? asked.then(unlessMissing) : unlessMissing(asked)
}

type HandleOf = (facts: ToolFacts | undefined) => ToolHandle | undefined

/** One handle a tool, so that what is made of its schema is made once. */
function createHandles(): HandleOf {
  const known = new Map<string, ToolHandle>()
  return (facts) => {
    const open = facts && tools[facts.name]
    if (!open) return undefined
    const { name, toolset, concurrency, description, parameters, isRare } = facts
    const schema = { name, description, parameters }
    const handle = known.get(name) ?? { name, toolset, concurrency, schema, open, ...(isRare && { isRare }) }
    known.set(name, handle)
    return handle
  }
}

/** What lists of toolsets come to: they are the configuration's own, or those of a face, and never change. */
function createKnownSets(): typeof toolsOf {
  const known = new WeakMap<readonly string[], ReturnType<typeof toolsOf>>()
  return (toolsets) => {
    const found = known.get(toolsets) ?? toolsOf(toolsets)
    known.set(toolsets, found)
    return found
  }
}

/** Why a tool cannot be used; undefined where it can. */
type Asker = (facts: ToolFacts) => string | undefined | Promise<string | undefined>

/** The checks of tools that are loaded, and what some of them said not long ago. */
interface Checks {
  readonly loaded: Map<unknown, Availability>
  readonly told: Map<Availability, { readonly lack: string | undefined; readonly until: number }>
}

/** Asks what several tools depend on once for all of them. */
function createAsker(context: AgentContext, session: ToolSession | undefined, checks: Checks): Asker {
  const asked = new Map<unknown, string | undefined | Promise<string | undefined>>()
  const ask = (load: () => Promise<Availability>) => {
    const check = checks.loaded.get(load)
    return check ? verdict(check) : loadAndAsk(load)
  }
  const verdict = (check: Availability) => {
    const known = checks.told.get(check)
    if (known && context.clock.now() < known.until) return known.lack
    const told = lack(check(context, session))
    const { freshMs } = check
    if (freshMs === undefined) return told
    const keep = (lack: string | undefined) => {
      checks.told.set(check, { lack, until: context.clock.now() + freshMs })
      return lack
    }
    return told instanceof Promise ? told.then(keep) : keep(told)
  }
  const loadAndAsk = async (load: () => Promise<Availability>) => {
    const check = await load()
    checks.loaded.set(load, check)
    return verdict(check)
  }
  return ({ enabledBy, name }) => {
    const isOn = !enabledBy || enabledBy.some((key) => getAt(context.config, key.split('.')) === true)
    if (!isOn) return `switched off: ${enabledBy.join(', ')}`
    const load = availability[name]
    if (!load) return undefined
    if (!asked.has(load)) asked.set(load, ask(load))
    return asked.get(load)
  }
}

function lack(verdict: true | string | Promise<true | string>): string | undefined | Promise<string | undefined> {
  if (verdict instanceof Promise) return verdict.then(lack)
  return verdict === true ? undefined : verdict
}

/** Tools of MCP servers, the memory provider, plugins. Those who fail bring none, and the log says so. */
async function contributedHandles(
  { toolContributors, log }: AgentContext,
  toolsets: readonly string[] | undefined,
  session: ToolSession | undefined,
): Promise<readonly ToolHandle[]> {
  if (!toolContributors || toolContributors.length === 0) return []
  const signal = AbortSignal.timeout(contributorTimeoutMs)
  const request = { toolsets, ...(session && { session }) }
  const all = toolContributors.map((contributor) =>
    contributor.handles(request, signal).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'tools of a contributor are left out')
      return []
    }),
  )
  return (await Promise.all(all)).flat()
}

function warnOfUnknown(
  unknown: readonly string[],
  handles: ReadonlyMap<string, ToolHandle>,
  { config, log }: AgentContext,
): void {
  const contributed = new Set([...handles.values()].map(({ toolset }) => toolset))
  const left = unknown.filter(
    (name) => name !== noMcpServers && !contributed.has(name) && !Object.hasOwn(config.mcp_servers ?? {}, name),
  )
  if (left.length > 0) log.warn({ toolsets: left }, 'unknown toolsets are ignored')
}
