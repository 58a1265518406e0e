// The suite's reporter: a dot a test, failures in full as they come, what was skipped by name and reason, and a closing
// count on a line of its own. Where files are named, also what their tests measured; in CI, which files took longest.
export default async function* reporter(source) {
  let passed = 0
  let failed = 0
  let column = 0
  const skipped = []
  const figures = []
  const files = []
  for await (const { type, data } of source) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      if (process.env.HERMES_TEST_OUTPUT) yield data.message
    } else if (type === 'test:summary') {
      if (data.file !== undefined) files.push(data)
    } else if (type === 'test:diagnostic') {
      // The runner's own counts belong to no file.
      if (process.env.HERMES_TEST_FIGURES && data.file !== undefined) figures.push(data.message)
    } else if (type === 'test:pass' || type === 'test:fail') {
      if (data.details?.type === 'suite' && type === 'test:pass') continue
      if (data.skip !== undefined) {
        skipped.push(`${data.name}${typeof data.skip === 'string' && data.skip ? ` (${data.skip})` : ''}`)
      } else if (type === 'test:pass') {
        passed++
        yield ++column % 100 === 0 ? '.\n' : '.'
      } else if (data.details?.error?.failureType !== 'subtestsFailed') {
        failed++
        column = 0
        yield `\n\n✖ ${data.name}  (${data.file ?? ''}:${data.line ?? ''})\n${describe(data.details?.error)}\n`
      }
    }
  }
  yield '\n\n'
  for (const figure of figures) yield `${figure}\n`
  if (process.env.CI) yield* slowest(files)
  for (const name of skipped) yield `skipped: ${name}\n`
  yield `${passed} passed, ${failed} failed, ${skipped.length} skipped\n`
}

/** What to look at when the suite takes too long. */
function* slowest(files) {
  const sorted = files.toSorted((a, b) => b.duration_ms - a.duration_ms)
  for (const { file, duration_ms } of sorted.slice(0, 15)) yield `took ${Math.round(duration_ms / 1000)} s: ${file}\n`
}

function describe(error) {
  const cause = error?.cause ?? error
  return String(cause?.stack ?? cause?.message ?? cause)
}
