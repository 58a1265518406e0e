import { basename } from 'node:path'
import type { Environment } from '../../../agent/context.ts'
import { ModelError } from '../../model-error.ts'

/** Where a model file can be fetched. */
export interface ModelSource {
  readonly url: string
  /** The name that the file gets. */
  readonly fileName: string
  /** Sent to the host of `url` alone. */
  readonly token: string | undefined
}

/** A small model that calls tools well and that most machines can run. */
export const suggestedModel = 'Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf'

const huggingFace = 'https://huggingface.co'

/**
 * What a person names: an address, or `OWNER/REPOSITORY/FILE.gguf` of Hugging Face, for whose site `HF_ENDPOINT` may
 * name another. Throws `ModelError` where it is neither.
 */
export function modelSource(wanted: string, environment: Environment): ModelSource {
  const base = (environment['HF_ENDPOINT']?.trim() || huggingFace).replace(/\/+$/, '')
  const url = URL.parse(addressOf(wanted, base))
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    const message = `${wanted} is no address of a model file: name https://…/FILE.gguf, OWNER/REPOSITORY/FILE.gguf of Hugging Face, or a file of this machine.`
    throw new ModelError('invalid-request', message)
  }
  const fileName = basename(decodeURIComponent(url.pathname))
  if (!/^[\w.+-]+\.gguf$/i.test(fileName)) {
    throw new ModelError('invalid-request', `${wanted} names no file that ends in .gguf.`)
  }
  if (/-\d{5}-of-\d{5}\.gguf$/i.test(fileName)) {
    throw new ModelError('invalid-request', `${fileName} is one of several parts; choose a model that is one file.`)
  }
  const isHuggingFace = url.href.startsWith(`${base}/`)
  const token = isHuggingFace ? environment['HF_TOKEN']?.trim() || undefined : undefined
  return { url: url.href, fileName, token }
}

function addressOf(wanted: string, base: string): string {
  const short = /^(?:hf:(?:\/\/)?)?([\w.-]+\/[\w.-]+)\/((?:[\w.-]+\/)*[\w.+-]+)$/i.exec(wanted)
  if (short) return `${base}/${short[1]}/resolve/main/${short[2]}`
  // Its pages show a file at `blob`; the bytes are at `resolve`.
  const page = wanted.startsWith(`${huggingFace}/`) ? `${base}${wanted.slice(huggingFace.length)}` : wanted
  return page.startsWith(`${base}/`) ? page.replace(/^(.*?\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/') : page
}
