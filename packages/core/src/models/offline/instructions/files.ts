import { call, plain } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'

export const read: Instruction = {
  example: 'read notes.txt',
  does: 'shows a file; “read notes.txt lines 10-20” a part of it',
  patterns: [
    pattern`(?:read|show|open|print|display|cat)(?: me)?(?: the)?(?: file)? {line},?(?: from)? lines? (\d{1,9})\s*(?:-|–|to)\s*(\d{1,9})`,
    pattern`(?:read|open|cat)(?: me)?(?: the)?(?: file)? {line}`,
    pattern`(?:show|print|display)(?: me)?(?: the)? file {line}`,
    pattern`(?:show|print|display)(?: me)?(?: the)? ([^\s./]*[./]\S*)`,
  ],
  step: ([path = '', from, to]) => {
    if (from === undefined || to === undefined) return call('read_file', { path: plain(path) })
    const offset = Math.max(1, Number(from))
    return call('read_file', { path: plain(path), offset, limit: Math.max(1, Number(to) - offset + 1) })
  },
}

export const list: Instruction = {
  example: 'list files in src',
  does: 'lists the files of a folder and those below it',
  patterns: [
    pattern`(?:list|show)(?: me)?(?: all)?(?: the)? files?(?: (?:in|of|under)(?: the)?(?: folder| directory)? {line})?`,
    pattern`(?:list|show)(?: me)?(?: the)? (?:folder|directory) {line}`,
    pattern`what files are(?: there)? (?:here|in {line})\s*\??`,
    pattern`ls(?: {line})?`,
  ],
  step: ([path]) => call('search_files', { pattern: '*', target: 'files', path: folder(path) }),
}

export const findFiles: Instruction = {
  example: 'find files named *.md in docs',
  does: 'finds files by name',
  patterns: [
    pattern`(?:find|search for)(?: all)?(?: the)? files? (?:named|called|like|matching) {line}(?: in {line})?`,
  ],
  step: ([name = '', path]) => call('search_files', { pattern: plain(name), target: 'files', path: folder(path) }),
}

export const search: Instruction = {
  example: 'search for TODO in src',
  does: 'finds text in files; “search for /re+/” takes a regular expression',
  patterns: [
    pattern`(?:search|look|grep)(?: files)? for {line}(?: in {line})?`,
    pattern`(?:grep|find) {line} in {line}`,
  ],
  step: ([text = '', path]) => call('search_files', { pattern: expression(text), path: folder(path) }),
}

export const write: Instruction = {
  example: 'write "hello" to greeting.txt',
  does: 'writes a file',
  patterns: [
    pattern`(?:write|save) {text} (?:to|into|in|as)(?: the)?(?: file)? ("[^"\n]+"|'[^'\n]+'|[^\s"']+)`,
    pattern`(?:write|save) {text} (?:to|into|in|as)(?: the)?(?: file)? {line}`,
  ],
  step: ([text = '', path = '']) => call('write_file', { path: plain(path), content: `${plain(text)}\n` }),
}

export const writeBlock: Instruction = {
  example: 'write to greeting.txt:',
  does: 'writes the lines that follow',
  takesLongText: true,
  patterns: [/^(?:write|save|create)[ \t]+([^\n]{1,500})\n([^]*)$/iu],
  step: ([head = '', content = '']) => {
    const path = /^(?:to[ \t]+)?(?:the[ \t]+)?(?:file[ \t]+)?(\S.*)$/iu.exec(head.trim())?.[1] ?? ''
    if (!/[:：]$/u.test(path)) return undefined
    return call('write_file', { path: plain(path.slice(0, -1)), content: `${content.trimEnd()}\n` })
  },
}

export const create: Instruction = {
  example: 'create greeting.txt with "hello"',
  does: 'writes a file, too',
  patterns: [pattern`create(?: the| a)?(?: file)? {line} (?:with|containing)(?: the text)? {rest}`],
  step: ([path = '', text = '']) => call('write_file', { path: plain(path), content: `${plain(text)}\n` }),
}

export const replace: Instruction = {
  example: 'replace "hello" with "hi" in greeting.txt',
  does: 'changes a part of a file',
  patterns: [pattern`(?:replace|change) {text} (?:with|to|by) {text} in(?: the)?(?: file)? {line}`],
  step: ([before = '', after = '', path = '']) =>
    call('patch', { mode: 'replace', path: plain(path), old_string: plain(before), new_string: plain(after) }),
}

function folder(path: string | undefined): string {
  const name = plain(path ?? '')
  return name === '' || /^(?:here|this folder|the current (?:folder|directory))$/iu.test(name) ? '.' : name
}

/** Text as a pattern that finds exactly it, unless it is written as a regular expression. */
function expression(text: string): string {
  const regex = /^\/(.+)\/$/u.exec(text.trim())?.[1]
  return regex ?? plain(text).replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
