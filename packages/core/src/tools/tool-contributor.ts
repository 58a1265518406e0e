import type { PromptNotice } from '../context/blocks/block.ts'
import type { ToolHandle, ToolSession } from './tool-source.ts'

/** Somebody who brings tools that are not built in: the MCP servers, the memory provider, plugins. */
export interface ToolContributor {
  /**
   * The tools for a session with these toolsets (default: all), each name once; those of built-in tools are dropped.
   * Quick: what must connect first does so within the signal's time, and what is not ready then is left out.
   */
  handles(request: ToolContribution, signal: AbortSignal): Promise<readonly ToolHandle[]>
  /** What people should know of tools that were left out: each is given once. */
  takeNotices?(): readonly PromptNotice[]
}

export interface ToolContribution {
  readonly toolsets: readonly string[] | undefined
  /** Absent where tools are only listed for people. */
  readonly session?: ToolSession
}
