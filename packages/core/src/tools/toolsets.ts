/** The smallest sets of tools that can be chosen, by name. A tool may be in several. */
const leaves: Readonly<Record<string, readonly string[]>> = {
  browser: [
    'browser_navigate',
    'browser_snapshot',
    'browser_click',
    'browser_type',
    'browser_scroll',
    'browser_back',
    'browser_press',
    'browser_get_images',
    'browser_vision',
    'browser_console',
    'browser_dialog',
  ],
  web: ['web_search', 'web_extract'],
  search: ['web_search'],
  terminal: ['terminal', 'process'],
  file: ['read_file', 'write_file', 'patch', 'search_files'],
  todo: ['todo'],
  memory: ['memory'],
  session_search: ['session_search'],
  clarify: ['clarify'],
  code_execution: ['execute_code'],
  delegation: ['delegate_task'],
  cronjob: ['cronjob'],
  messaging: ['send_message'],
  skills: ['skills_list', 'skill_view', 'skill_manage'],
  vision: ['vision_analyze'],
  image_gen: ['image_generate'],
  tts: ['text_to_speech'],
  moa: ['mixture_of_agents'],
  homeassistant: ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'],
}

/** Calls a tool that another one has found. */
export const useToolName = 'use_tool'

/** Tools that come by themselves where a session has tools that its requests do not carry. */
export const finderTools: readonly string[] = ['tool_search', useToolName]

/** In a list of toolsets: none of the MCP servers. */
export const noMcpServers = 'no_mcp'

const all = Object.keys(leaves)

/** The names of the smallest sets. */
export const toolsetNames: readonly string[] = all

/** Sets that nobody gets without asking for them: they cost money or need a service of their own. */
const onlyWhenAsked: ReadonlySet<string> = new Set(['moa', 'rl', 'search'])

const usual = all.filter((name) => !onlyWhenAsked.has(name))

const without = (...left: readonly string[]): readonly string[] => usual.filter((name) => !left.includes(name))

/** Sets made of other sets. */
const composites: Readonly<Record<string, readonly string[]>> = {
  all,
  '*': all,
  debugging: ['terminal', 'web', 'file'],
  safe: ['web', 'vision', 'image_gen'],
  'hermes-acp': without('image_gen', 'tts', 'clarify', 'cronjob', 'messaging', 'homeassistant'),
  'hermes-cron': without('cronjob', 'messaging', 'clarify'),
  'hermes-api-server': without('tts', 'clarify', 'messaging'),
  // Upstream's older names.
  ...Object.fromEntries(
    ['web', 'terminal', 'vision', 'moa', 'skills', 'browser', 'cronjob', 'rl', 'file', 'tts'].map((name) => [
      `${name}_tools`,
      [name],
    ]),
  ),
  image_tools: ['image_gen'],
}

/** Every face and platform has a set of its own name; those that are not listed above get the usual sets. */
const faceToolset = /^hermes-[a-z][a-z0-9-]*$/

/** What a face that chooses nothing gets. */
export const defaultToolsets: readonly string[] = ['hermes-cli']

/** The tools of some toolsets, sorted by name, and the names that mean none. */
export function toolsOf(toolsets: readonly string[]): {
  readonly tools: readonly string[]
  readonly unknown: readonly string[]
} {
  const tools = new Set<string>()
  const unknown: string[] = []
  for (const name of toolsets) {
    const chosen = leavesOf(name)
    if (!chosen) unknown.push(name)
    for (const leaf of chosen ?? []) for (const tool of leaves[leaf] ?? []) tools.add(tool)
  }
  return { tools: [...tools].sort(), unknown }
}

function leavesOf(name: string): readonly string[] | undefined {
  if (Object.hasOwn(leaves, name)) return [name]
  if (Object.hasOwn(composites, name)) return composites[name]
  return faceToolset.test(name) ? usual : undefined
}

/** The smallest sets that some toolsets come to, and what of them is none (an MCP server, a plugin's set). */
export function leafToolsets(toolsets: readonly string[]): {
  readonly leaves: readonly string[]
  readonly others: readonly string[]
} {
  const chosen = new Set(toolsets.flatMap((name) => leavesOf(name) ?? []))
  return { leaves: all.filter((name) => chosen.has(name)), others: toolsets.filter((name) => !leavesOf(name)) }
}
