import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { modelSource, suggestedModel } from '@hermes/core/models/local/fetch/model-source.ts'
import { type RemoteFile, remoteFile } from '@hermes/core/models/local/fetch/remote-file.ts'
import { readGgufHeader } from '@hermes/core/models/local/gguf-header.ts'
import { modelFiles, modelsFolder } from '@hermes/core/models/local/model-files.ts'
import type { HttpClient } from '@hermes/core/models/net/http-client.ts'

/** A model file that is there, or one to fetch. */
export type WantedFile =
  | { readonly type: 'there'; readonly model: string }
  | { readonly type: 'remote'; readonly model: string; readonly remote: RemoteFile; readonly path: string }

export interface WantedOptions {
  readonly agent: Pick<AgentContext, 'home' | 'environment'>
  readonly cwd: string
  readonly http: HttpClient
}

/** What a person means: a file of this machine, one of the home, or an address. Throws `ModelError`. */
export async function wantedFile(
  wanted: string | undefined,
  { agent: { home, environment }, cwd, http }: WantedOptions,
  signal: AbortSignal,
): Promise<WantedFile> {
  const known = (await modelFiles(home)).find(({ name }) => name === basename(wanted ?? '', '.gguf'))
  if (wanted !== undefined && known && basename(wanted) === wanted) return { type: 'there', model: known.name }
  const path = wanted === undefined ? undefined : await pathOf(wanted, cwd, environment['HOME'] ?? homedir())
  if (path !== undefined) {
    await readGgufHeader(path)
    return { type: 'there', model: path }
  }
  const source = modelSource(wanted ?? suggestedModel, environment)
  const target = join(modelsFolder(home), source.fileName)
  const model = basename(source.fileName, '.gguf')
  const remote = await remoteFile(source, http, signal)
  const there = await stat(target).catch(() => undefined)
  // What has its final name is whole and was checked.
  if (there?.size === remote.bytes) return { type: 'there', model }
  return { type: 'remote', model, remote, path: target }
}

/** The path that is meant, where it is one: what looks like a path, or names a file that is there. */
async function pathOf(wanted: string, cwd: string, homeDir: string): Promise<string | undefined> {
  const path = wanted.startsWith('~/') ? join(homeDir, wanted.slice(2)) : resolve(cwd, wanted)
  if (/^(?:\/|~\/|\.\.?\/)/.test(wanted)) return path
  if (URL.canParse(wanted)) return undefined
  return (await stat(path).catch(() => undefined))?.isFile() ? path : undefined
}
