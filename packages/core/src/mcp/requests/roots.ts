import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ListRootsResult } from '@modelcontextprotocol/client'

/** The one folder that a server is told to work in. */
export function rootsOf(workspace: string): ListRootsResult {
  return { roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) || workspace }] }
}
