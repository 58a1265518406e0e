import type { FrameSpot } from '../page/element.ts'
import type { Page } from '../page/page.ts'
import { frameIn, readTree } from './accessibility.ts'
import type { AxNode, AxTree } from './accessibility.ts'
import { interactiveRoles, shownRoles, silentRoles, tellingRoles } from './roles.ts'

/** What a page says and offers, as text: a line an element, those that can be used with a reference. */
export interface Snapshot {
  readonly text: string
  /** Elements with a reference. */
  readonly elementCount: number
  /** These references, in order. */
  readonly refs: readonly string[]
}

/** `full`: everything that is on the page; else what can be used, and the beginning of each text. */
export interface SnapshotOptions {
  readonly full: boolean
}

const maxFrames = 30
const maxLines = 20_000
const maxDepth = 60
const shortTextChars = 120
const maxNameChars = 300
const maxOptions = 30

/** Reads a page with its frames and shadow trees. Throws `BrowserError`; when `signal` aborts, its reason. */
export async function takeSnapshot(page: Page, options: SnapshotOptions, signal: AbortSignal): Promise<Snapshot> {
  const writer = new Writer(page, options, signal)
  await writer.frame(page.mainFrame, 0)
  return { text: writer.lines.join('\n'), elementCount: writer.refs.length, refs: writer.refs }
}

/** Where in a tree the writer is. */
interface Place {
  readonly frame: FrameSpot
  readonly tree: AxTree
  readonly depth: number
  /** Names that texts within would only repeat. */
  readonly said: string
}

class Writer {
  readonly lines: string[] = []
  readonly refs: string[] = []
  readonly #page: Page
  readonly #options: SnapshotOptions
  readonly #signal: AbortSignal
  #frames = 0

  constructor(page: Page, options: SnapshotOptions, signal: AbortSignal) {
    this.#page = page
    this.#options = options
    this.#signal = signal
  }

  async frame(frame: FrameSpot, depth: number): Promise<void> {
    if (++this.#frames > maxFrames) return
    const tree = await readTree(frame, this.#signal)
    if (tree.root) await this.#children(tree.root, { frame, tree, depth, said: '' })
  }

  async #children(node: AxNode, place: Place): Promise<void> {
    let text = ''
    for (const id of node.childIds) {
      const child = place.tree.nodes.get(id)
      if (!child) continue
      // Neighbouring pieces of text are one.
      if (child.role === 'StaticText' && !child.isIgnored) {
        text += `${child.name} `
        continue
      }
      this.#text(text, place)
      text = ''
      await this.#node(child, place)
    }
    this.#text(text, place)
  }

  #text(written: string, { depth, said }: Place): void {
    const text = written.trim()
    if (text === '' || said.includes(text)) return
    const isCut = !this.#options.full && text.length > shortTextChars
    this.#line(depth, `text: ${isCut ? `${text.slice(0, shortTextChars).toWellFormed()}…` : text}`)
  }

  async #node(node: AxNode, place: Place): Promise<void> {
    if (this.lines.length >= maxLines) return
    const { tree, depth } = place
    if (node.role === 'Iframe' && !node.isIgnored) return this.#iframe(node, place)
    if (!node.isIgnored && interactiveRoles.has(node.role)) return this.#element(node, node.role, place)
    if (isClickable(node, tree) && !holdsInteractive(node, tree)) {
      return this.#element({ ...node, name: node.name || innerText(node, tree) }, 'clickable', place)
    }
    const isSilent = node.isIgnored || silentRoles.has(node.role) || !this.#isShown(node)
    // The words of a label are the name of what it labels.
    if (node.role === 'LabelText') return this.#children(node, { ...place, said: innerText(node, tree) })
    if (isSilent) return this.#children(node, place)
    this.#line(depth, describe(node, node.role))
    await this.#children(node, { ...place, depth: depth + 1, said: node.name })
  }

  #isShown({ role, name }: AxNode): boolean {
    if (this.#options.full) return true
    return tellingRoles.has(role) || (role === 'image' && name !== '') || (role === 'img' && name !== '')
  }

  async #element(node: AxNode, role: string, place: Place): Promise<void> {
    const { frame, depth, tree } = place
    const { backendNodeId } = node
    if (backendNodeId === undefined) return this.#children(node, place)
    const shown = shownRoles[role] ?? role
    const ref = this.#page.refs.refOf({ frame, backendNodeId }, shown, node.name)
    this.refs.push(ref)
    const options = role === 'combobox' || role === 'listbox' ? optionsOf(node, tree) : []
    const list = options.length > 0 ? ` (${options.map((one) => JSON.stringify(one)).join(', ')})` : ''
    this.#line(depth, `${describe(node, role)} @${ref}${list}`)
    if (options.length > 0 || role === 'textbox' || role === 'searchbox') return
    await this.#children(node, { ...place, depth: depth + 1, said: `${node.name} ${node.value}` })
  }

  async #iframe(node: AxNode, { frame, depth }: Place): Promise<void> {
    const { backendNodeId } = node
    const frameId = backendNodeId === undefined ? undefined : await frameIn(frame, backendNodeId, this.#signal)
    if (backendNodeId === undefined || frameId === undefined || depth > maxDepth) return
    this.#line(depth, describe(node, 'Iframe'))
    const session = this.#page.frameSession(frameId) ?? frame.session
    await this.frame({ session, frameId, owner: { frame, backendNodeId } }, depth + 1)
  }

  #line(depth: number, text: string): void {
    this.lines.push(`${'  '.repeat(Math.min(depth, maxDepth))}- ${text}`)
  }
}

function isClickable({ backendNodeId, role }: AxNode, { clickable }: AxTree): boolean {
  return backendNodeId !== undefined && role !== 'RootWebArea' && clickable.has(backendNodeId)
}

/** Whoever listens for clicks on a whole list means what is in it. */
function holdsInteractive(node: AxNode, tree: AxTree): boolean {
  return node.childIds.some((id) => {
    const child = tree.nodes.get(id)
    if (!child) return false
    const isOne = !child.isIgnored && (interactiveRoles.has(child.role) || child.role === 'Iframe')
    return isOne || isClickable(child, tree) || holdsInteractive(child, tree)
  })
}

function innerText(node: AxNode, tree: AxTree): string {
  const parts = node.childIds.map((id) => {
    const child = tree.nodes.get(id)
    if (!child) return ''
    return child.role === 'StaticText' ? child.name : innerText(child, tree)
  })
  return parts.filter((part) => part !== '').join(' ')
}

function optionsOf(node: AxNode, tree: AxTree): readonly string[] {
  const found = node.childIds.flatMap((id): readonly string[] => {
    const child = tree.nodes.get(id)
    if (!child) return []
    if (child.role === 'option' || child.role === 'MenuListOption') return [child.name]
    return optionsOf(child, tree)
  })
  return found.length > maxOptions ? [...found.slice(0, maxOptions), `… ${found.length - maxOptions} more`] : found
}

function describe(node: AxNode, role: string): string {
  const name = node.name.length > maxNameChars ? `${node.name.slice(0, maxNameChars).toWellFormed()}…` : node.name
  const parts = [shownRoles[role] ?? role, ...(name === '' ? [] : [JSON.stringify(name)]), ...statesOf(node)]
  if (node.value !== '' && node.value !== node.name) parts.push(`value=${JSON.stringify(node.value)}`)
  return parts.join(' ')
}

const shownStates = [
  'checked',
  'disabled',
  'expanded',
  'focused',
  'invalid',
  'level',
  'pressed',
  'required',
  'selected',
]

function statesOf({ states }: AxNode): readonly string[] {
  return shownStates.flatMap((name) => {
    const state = states.get(name)
    if (state === undefined || state === '') return []
    // What is not so is said only where it could be opened or checked.
    if (state === false || state === 'false')
      return name === 'expanded' ? ['collapsed'] : name === 'checked' ? ['unchecked'] : []
    return [state === true || state === 'true' ? name : `${name}=${JSON.stringify(state)}`]
  })
}
