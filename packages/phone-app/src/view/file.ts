import type { ChatItem } from '../agent/chat-item.ts'
import { button, element } from './element.ts'

/** Larger ones are shown when they are asked for, bytes. */
const shownAtOnce = 5_000_000

type FileItem = Extract<ChatItem, { type: 'file' }>

/** A file: an image or a player where that goes, and a way to keep it. */
export function fileElement(item: FileItem, onError: (error: unknown) => void): HTMLElement {
  const { kind, name, caption, size, load } = item
  const place = element('div', { class: 'media' })
  const label = element('span', { class: 'name' }, `${name} · ${sizeText(size)}`)
  const box = element('figure', { class: 'file' }, place, element('figcaption', {}, label))
  if (caption !== '') box.append(element('p', { class: 'caption' }, caption))
  if (item.isWaiting) box.append(element('span', { class: 'waiting' }, 'not sent yet'))
  if (!load) {
    label.append(' (no longer here)')
    return box
  }
  const open = async () => {
    const url = URL.createObjectURL(await load())
    const shown = mediaElement(kind, name, url)
    if (shown) place.replaceChildren(shown)
    else keep(url, name)
  }
  const isShown = kind !== 'document'
  if (isShown && size <= shownAtOnce) void open().catch(onError)
  const words = isShown ? (size <= shownAtOnce ? 'Save' : 'Show') : 'Download'
  const act = isShown && size <= shownAtOnce ? async () => keep(URL.createObjectURL(await load()), name) : open
  box.append(button(words, { class: 'small', onclick: () => void act().catch(onError) }, `${words} ${name}`))
  return box
}

function mediaElement(kind: FileItem['kind'], name: string, url: string): HTMLElement | undefined {
  const release = () => URL.revokeObjectURL(url)
  if (kind === 'image') return element('img', { src: url, alt: name, onload: release })
  if (kind === 'audio') return element('audio', { src: url, controls: true, 'aria-label': name })
  if (kind === 'video') return element('video', { src: url, controls: true, playsinline: true, 'aria-label': name })
  return undefined
}

function keep(url: string, name: string): void {
  element('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
