import type { Tool } from './tool.ts'

/** Every tool by name; its file is loaded when the tool is first asked for. */
export const tools: Readonly<Record<string, () => Promise<Tool>>> = {
  clarify: async () => (await import('./clarify.ts')).clarify,
  delegate_task: async () => (await import('./delegate/delegate-task.ts')).delegateTask,
  execute_code: async () => (await import('./execute-code/execute-code.ts')).executeCode,
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
  tool_search: async () => (await import('./tool-search/tool-search.ts')).toolSearch,
  use_tool: async () => (await import('./tool-search/use-tool.ts')).useTool,
  vision_analyze: async () => (await import('./vision-analyze.ts')).visionAnalyze,
  write_file: async () => (await import('./write-file.ts')).writeFile,
}
