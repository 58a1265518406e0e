import type { ServerSettings } from './settings.ts'

/** Whether a tool is used: where there is an include list it alone counts. A `*` stands for anything. */
export function isWantedTool(tool: string, { include, exclude }: ServerSettings['tools']): boolean {
  if (include.length > 0) return include.some((pattern) => fits(tool, pattern))
  return !exclude.some((pattern) => fits(tool, pattern))
}

function fits(tool: string, pattern: string): boolean {
  if (!pattern.includes('*')) return tool === pattern
  let at = 0
  const parts = pattern.split('*')
  const last = parts.pop() ?? ''
  for (const [index, part] of parts.entries()) {
    const found = index === 0 ? (tool.startsWith(part) ? 0 : -1) : tool.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return tool.length - last.length >= at && tool.endsWith(last)
}
