/**
 * How much of a Markdown text that still grows is closed: whatever follows cannot change how it is drawn. The rest
 * begins with a new top-level block. 0 where that cannot be said yet.
 */
export function closedLength(text: string): number {
  // These may go on over empty lines.
  if (/<(?:!--|pre|script|style|textarea)|\$\$|\\\[/i.test(text)) return 0
  let closed = 0
  let fence: string | undefined
  let afterBlank = false
  let start = 0
  for (const line of text.split('\n')) {
    if (afterBlank && fence === undefined && beginsBlock(line)) closed = start
    fence = nextFence(fence, line)
    afterBlank = line.trim() === ''
    start += line.length + 1
  }
  return closed
}

/** Whether the text ends in a table, which changes its shape with every row. */
export function endsInTable(text: string): boolean {
  const last = text.slice(text.lastIndexOf('\n\n') + 1)
  return last.split('\n').filter((line) => line.includes('|')).length > 1
}

/** A line that after an empty line neither goes on with a list or its item, nor may turn out to. */
function beginsBlock(line: string): boolean {
  if (line === '' || /^\s/.test(line)) return false
  return !/^(?:[-+*](?:\s|$)|\d{1,9}(?:[.)](?:\s|$)|$))/.test(line)
}

function nextFence(open: string | undefined, line: string): string | undefined {
  const mark = /^\s*(`{3,}|~{3,})(.*)$/.exec(line)
  if (!mark) return open
  const [, marks = '', rest = ''] = mark
  if (open === undefined) return marks
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === ''
  return closes ? undefined : open
}
