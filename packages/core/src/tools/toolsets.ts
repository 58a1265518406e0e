/** The smallest sets of tools that can be chosen, by name. */
const leaves: Readonly<Record<string, readonly string[]>> = {
  terminal: ['terminal', 'process'],
  file: ['read_file', 'write_file', 'patch', 'search_files'],
  todo: ['todo'],
  memory: ['memory'],
  session_search: ['session_search'],
  clarify: ['clarify'],
}

const all = Object.keys(leaves)
const withoutPerson = all.filter((name) => name !== 'clarify')

/** Sets made of other sets. */
const composites: Readonly<Record<string, readonly string[]>> = {
  all,
  '*': all,
  debugging: ['terminal', 'file'],
  'hermes-cli': all,
  'hermes-gateway': all,
  'hermes-acp': withoutPerson,
  'hermes-api-server': withoutPerson,
  // Upstream's older names.
  terminal_tools: ['terminal'],
  file_tools: ['file'],
}

/** Each platform of the gateway has a set of its own name, all alike. */
const platformToolset =
  /^hermes-(?:telegram|discord|whatsapp|slack|signal|bluebubbles|homeassistant|email|mattermost|matrix|dingtalk|feishu|weixin|qqbot|wecom|wecom-callback|sms|webhook)$/

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
    const chosen = leaves[name] ? [name] : platformToolset.test(name) ? all : composites[name]
    if (!chosen) unknown.push(name)
    for (const leaf of chosen ?? []) for (const tool of leaves[leaf] ?? []) tools.add(tool)
  }
  return { tools: [...tools].sort(), unknown }
}
