import type { ToolHandle } from '../tool-source.ts'

/** Arguments of a tool that scripts may give, in the order of a stub's parameters, with a default in Python and JSON. */
export interface ScriptTool {
  readonly name: string
  readonly parameters: readonly ScriptParameter[]
}

export interface ScriptParameter {
  readonly name: string
  /** Absent: it has to be given. `null`: it is left out of the call. */
  readonly default?: string | number | boolean | null
}

const optional = (name: string): ScriptParameter => ({ name, default: null })

/** Tools that scripts may call, in upstream's parameter order. What is interactive or lasts is not among them. */
const stubs: readonly ScriptTool[] = [
  { name: 'web_search', parameters: [{ name: 'query' }, optional('limit')] },
  { name: 'web_extract', parameters: [{ name: 'urls' }] },
  {
    name: 'read_file',
    parameters: [{ name: 'path' }, { name: 'offset', default: 1 }, { name: 'limit', default: 500 }],
  },
  { name: 'write_file', parameters: [{ name: 'path' }, { name: 'content' }] },
  {
    name: 'search_files',
    parameters: [
      { name: 'pattern' },
      { name: 'target', default: 'content' },
      { name: 'path', default: '.' },
      optional('file_glob'),
      { name: 'limit', default: 50 },
      { name: 'offset', default: 0 },
      { name: 'output_mode', default: 'content' },
      { name: 'context', default: 0 },
    ],
  },
  {
    name: 'patch',
    parameters: [
      optional('path'),
      optional('old_string'),
      optional('new_string'),
      { name: 'replace_all', default: false },
      { name: 'mode', default: 'replace' },
      optional('patch'),
    ],
  },
  { name: 'terminal', parameters: [{ name: 'command' }, optional('timeout'), optional('workdir')] },
]

/** Those of them that the session has. */
export function scriptTools(tools: ReadonlyMap<string, ToolHandle>): readonly ScriptTool[] {
  return stubs.filter(({ name }) => tools.has(name))
}
