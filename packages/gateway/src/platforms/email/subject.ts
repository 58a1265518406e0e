/** Longest subject that is kept, characters. */
const maxChars = 300

/** What mail programs of many languages put before a subject: answers, and what is passed on. */
const answer =
  /^(?:re|aw|sv|vs|antw|antwoord|odp|ynt|ref|rif|回复|回覆|答复|返信)(?:\s*\[\d+\]|\s*\(\d+\))?\s*[:：]\s*/i
const forward = /^(?:fwd?|wg|tr|rv|enc|vl|doorst|i|转发|轉寄)\s*[:：]\s*/i

export function isAnswer(subject: string): boolean {
  return answer.test(subject.trim())
}

export function isForward(subject: string): boolean {
  let rest = subject.trim()
  for (let found = answer.exec(rest); found; found = answer.exec(rest)) rest = rest.slice(found[0].length)
  return forward.test(rest)
}

/** On one line, without marks of answers. */
export function plainSubject(subject: string): string {
  let rest = oneLine(subject)
  for (let found = answer.exec(rest); found; found = answer.exec(rest)) rest = rest.slice(found[0].length)
  return rest.slice(0, maxChars).toWellFormed().trim()
}

/** The subject of an answer: the same, with one `Re:` before it. */
export function answerSubject(subject: string): string {
  const plain = plainSubject(subject)
  return plain === '' ? 'Re: your mail' : `Re: ${plain}`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
