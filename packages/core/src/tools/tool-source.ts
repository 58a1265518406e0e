import type { AgentContext } from '../agent/context.ts'
import { together } from '../agent/together.ts'
import type { Config } from '../config/schema.ts'
import { getAt } from '../config/tree.ts'
import type { ToolSchema } from '../models/model.ts'
import { createListMemo } from '../storage/list-memo.ts'
import { createAvailabilityChecks } from './availability-checks.ts'
import { availability } from './availability.ts'
import type { LoadAvailability } from './availability.ts'
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
  const planOf = createPlans(handleOf)
  const lackOf = createAvailabilityChecks()
  const built = createListMemo<unknown, ReadonlyMap<string, ToolHandle>>()
  const allFacts = () => (facts ??= toolFacts().then((all) => new Map(all.map((facts) => [facts.name, facts]))))

  return {
    async load(toolsets, session) {
      const facts = await allFacts()
      const context = agent()
      const { tools: names, unknown } = known(toolsets ?? defaultToolsets)
      const plan = planOf(names, facts, context)
      const contributing = contributedHandles(context, toolsets, session)
      const lacks = await together(plan.groups.map(({ check }) => lackOf(check, context, session)))
      const contributed = await contributing
      for (const [at, { tools }] of plan.groups.entries()) {
        const reason = lacks[at]
        if (reason !== undefined) context.log.debug({ tools, reason }, 'tools are not available')
      }
      const mode = context.config.tools?.search
      const set = built([mode, plan, ...lacks.map((lack) => lack === undefined), ...contributed], () => {
        const usable = plan.groups.flatMap(({ handles }, at) => (lacks[at] === undefined ? handles : []))
        const handles = new Map([...contributed, ...plan.free, ...usable].map((handle) => [handle.name, handle]))
        const sorted = [...handles.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
        const finders = finderTools.flatMap((name) => handleOf(facts.get(name)) ?? [])
        return withFinders(sorted, finders, mode)
      })
      if (unknown.length > 0) warnOfUnknown(unknown, set, context)
      return set
    },
    async survey(toolsets = defaultToolsets) {
      const facts = await allFacts()
      const context = agent()
      const names = toolsOf(toolsets).tools
      const { groups, off } = planOf(names, facts, context)
      const lacks = await together(groups.map(({ check }) => lackOf(check, context, undefined)))
      const missing = new Map(off)
      for (const [at, { tools }] of groups.entries()) {
        const reason = lacks[at]
        if (reason !== undefined) for (const tool of tools) missing.set(tool, reason)
      }
      return names.flatMap((each): ToolStanding[] => {
        const one = facts.get(each)
        if (!one) return []
        const { name, toolset, description } = one
        const reason = missing.get(name)
        return [{ name, toolset, description, ...(reason !== undefined && { missing: reason }) }]
      })
    },
  }
}

/** The tools of some toolsets as far as settings tell of them: what of it is to be asked anew for each turn is put together. */
interface Plan {
  /** Always there. */
  readonly free: readonly ToolHandle[]
  /** Those that depend on one thing each. */
  readonly groups: readonly {
    readonly check: LoadAvailability
    readonly tools: readonly string[]
    readonly handles: readonly ToolHandle[]
  }[]
  /** Those that are switched off, and why. */
  readonly off: ReadonlyMap<string, string>
}

/** Made once for each list of names, as long as the settings are the same. */
function createPlans(handleOf: HandleOf) {
  const known = new WeakMap<readonly string[], { readonly config: Config; readonly plan: Plan }>()
  return (names: readonly string[], facts: ReadonlyMap<string, ToolFacts>, { config, log }: AgentContext): Plan => {
    const found = known.get(names)
    if (found?.config === config) return found.plan
    const chosen = names.flatMap((name) => facts.get(name) ?? [])
    const off = new Map(chosen.flatMap((one) => (isOn(one, config) ? [] : [[one.name, switchedOff(one)]])))
    for (const [tool, reason] of off) log.debug({ tool, reason }, 'tool is not available')
    const on = chosen.filter(({ name }) => !off.has(name))
    const groups = Map.groupBy(on, ({ name }) => availability[name])
    const handlesOf = (some: readonly ToolFacts[]) => some.flatMap((one) => handleOf(one) ?? [])
    const plan = {
      free: handlesOf(groups.get(undefined) ?? []),
      groups: [...groups].flatMap(([check, some]) =>
        check ? [{ check, tools: some.map(({ name }) => name), handles: handlesOf(some) }] : [],
      ),
      off,
    }
    known.set(names, { config, plan })
    return plan
  }
}

function isOn({ enabledBy }: ToolFacts, config: Config): boolean {
  return !enabledBy || enabledBy.some((key) => getAt(config, key.split('.')) === true)
}

function switchedOff({ enabledBy = [] }: ToolFacts): string {
  return `switched off: ${enabledBy.join(', ')}`
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
