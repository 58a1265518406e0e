import { totalmem } from 'node:os'
import type { Home } from '../../config/home.ts'
import type { ModelInfo } from '../model.ts'
import { readGgufHeader } from './gguf-header.ts'
import { modelFiles } from './model-files.ts'
import { windowFor } from './window.ts'

/** The model files of a home, with the windows that they are loaded with. What cannot be read is left out. */
export async function listModelFiles(
  home: Home | undefined,
  memoryBytes: number = totalmem(),
): Promise<readonly ModelInfo[]> {
  const infos = (await modelFiles(home)).map(async ({ name, path }): Promise<ModelInfo> => {
    return { id: name, contextLength: windowFor(await readGgufHeader(path), { configured: undefined, memoryBytes }) }
  })
  const read = await Promise.allSettled(infos)
  return read.flatMap((info) => (info.status === 'fulfilled' ? [info.value] : []))
}
