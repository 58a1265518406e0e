import type { AgentContext, ToolSource } from '../agent/context.ts'
import type { Tool } from './tool.ts'
import { defaultToolsets, toolsOf } from './toolsets.ts'

/** Every tool by name; its file is loaded when the tool is first asked for. */
export const tools: Readonly<Record<string, () => Promise<Tool>>> = {
  clarify: async () => (await import('./clarify.ts')).clarify,
  memory: async () => (await import('./memory.ts')).memory,
  patch: async () => (await import('./patch.ts')).patch,
  process: async () => (await import('./process.ts')).processTool,
  read_file: async () => (await import('./read-file.ts')).readFile,
  search_files: async () => (await import('./search-files.ts')).searchFiles,
  session_search: async () => (await import('./session-search.ts')).sessionSearch,
  skill_manage: async () => (await import('./skill-manage.ts')).skillManage,
  skill_view: async () => (await import('./skill-view.ts')).skillView,
  skills_list: async () => (await import('./skills-list.ts')).skillsList,
  terminal: async () => (await import('./terminal.ts')).terminal,
  todo: async () => (await import('./todo.ts')).todo,
  write_file: async () => (await import('./write-file.ts')).writeFile,
}

/** Loads the tools that a profile can use. `agent` is asked when tools are loaded, so the source can be part of it. */
export function createToolSource(agent: () => AgentContext): ToolSource {
  return {
    async load(toolsets = defaultToolsets) {
      const context = agent()
      const { tools: names, unknown } = toolsOf(toolsets)
      if (unknown.length > 0) context.log.warn({ toolsets: unknown }, 'unknown toolsets are ignored')
      const loaded = await Promise.all(names.map((name) => loadUsable(name, context)))
      return new Map(loaded.flatMap((tool) => (tool ? [[tool.name, tool] as const] : [])))
    },
  }
}

/** A tool, unless this profile cannot use it: the log says why. */
async function loadUsable(name: string, context: AgentContext): Promise<Tool | undefined> {
  const tool = await tools[name]?.()
  const reason = tool?.available?.(context) ?? true
  if (reason === true) return tool
  context.log.debug({ tool: name, reason }, 'tool is not available')
  return undefined
}
