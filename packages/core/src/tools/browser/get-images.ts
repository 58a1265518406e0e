import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { withPage } from './browser-call.ts'

const maxImages = 100

const answer = z.looseObject({
  result: z.looseObject({
    value: z.object({
      total: z.number(),
      images: z.array(z.object({ src: z.string(), alt: z.string(), width: z.number(), height: z.number() })),
    }),
  }),
})

export const browserGetImages = defineTool({
  name: 'browser_get_images',
  toolset: 'browser',
  description: 'List the images of the page with their addresses and descriptions.',
  input: z.object({}),
  concurrency: 'exclusive',
  isRare: true,
  preview: () => 'images of the page',
  async run(_, context) {
    return withPage(context, async ({ page, signal }) => {
      const params = { expression: `(${listImages})(${maxImages})`, returnByValue: true }
      const { result } = await page.session.send('Runtime.evaluate', params, answer, { signal })
      const { images, total } = result.value
      const isCut = total > images.length
      return { images, count: images.length, ...(isCut && { warning: `${total - images.length} more are left out` }) }
    })
  },
})

/** Those in shadow trees and in frames of the same site too; what is drawn into the page's text is left out. */
const listImages = `(most) => {
  const all = []
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.tagName === 'IMG') all.push(element)
      if (element.shadowRoot) walk(element.shadowRoot)
      if (element.tagName === 'IFRAME') {
        let inner = null
        try { inner = element.contentDocument } catch { inner = null }
        if (inner) walk(inner)
      }
    }
  }
  walk(document)
  const listed = all
    .map((image) => ({ src: image.currentSrc || image.src, alt: image.alt, width: image.naturalWidth, height: image.naturalHeight }))
    .filter(({ src }) => src !== '' && !src.startsWith('data:'))
  return { total: listed.length, images: listed.slice(0, most) }
}`
