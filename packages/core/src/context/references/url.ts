import { NetworkError } from '../../security/network/network-error.ts'
import { AttachmentError, fenced } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { refuseSteering } from './refuse-steering.ts'
import type { Reference } from './reference.ts'

/** Most text of one page. */
const maxChars = 400_000

/** A web page as Markdown, or the text of a PDF document. `example.com/page` means https. */
export async function attachUrl({ value }: Reference, sources: AttachmentSources): Promise<Attachment> {
  const url = /^[a-z][a-z0-9+.-]*:/i.test(value) && !/^[\w.-]+:\d/.test(value) ? value : `https://${value}`
  const { title, text, isCut, url: from } = await fetched(url, sources)
  refuseSteering(`${title}\n\n${text}`, 'page')
  const { maskedText } = await import('../../web/masked-text.ts')
  const about = [`Source: ${from}`, ...(title === '' ? [] : [`Title: ${title}`]), ...(isCut ? [cutNote] : [])]
  const content = fenced(maskedText(text, sources.redactor), 'markdown')
  return { icon: '🌐', text: sources.redactor.redact(`${about.join('\n')}\n\n${content}`) }
}

const cutNote = `(Only the first ${maxChars} characters.)`

async function fetched(url: string, { home, environment, networkSettings: settings, signal }: AttachmentSources) {
  const [{ createGuardedFetch }, { fetchPage, PageError }] = await Promise.all([
    import('../../security/network/guarded-fetch.ts'),
    import('../../web/fetch-page.ts'),
  ])
  try {
    return await fetchPage(url, { web: createGuardedFetch({ home, environment, settings }), maxChars }, signal)
  } catch (error) {
    if (error instanceof NetworkError) {
      const isOutage = ['timeout', 'unreachable', 'dns', 'encoding'].includes(error.code)
      const code = error.code === 'too-large' ? error.code : isOutage ? 'unreadable' : 'refused'
      throw new AttachmentError(code, error.message, { cause: error })
    }
    if (!(error instanceof PageError)) throw error
    throw new AttachmentError(error.code === 'kind' ? 'wrong-kind' : 'unreadable', error.message, { cause: error })
  }
}
