import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { bundledSkillsFolder } from './bundled-folder.ts'

const root = bundledSkillsFolder({}) ?? ''
const skip =
  spawnSync('python3', ['-c', 'import zoneinfo']).status === 0 ? false : 'there is no python3 of 3.9 or newer'

/** Runs a bundled skill's script in a folder with some files. */
function run(script: string, args: readonly string[], files: Readonly<Record<string, string>>, read?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-script-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    const out = execFileSync('python3', [join(root, script), ...args], {
      cwd: dir,
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
    return read === undefined ? out : readFileSync(join(dir, read), 'utf8')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test('arxiv.py reads what the API answers', { skip }, () => {
  const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1706.03762v7</id>
    <published>2017-06-12T17:57:34Z</published><title>Attention Is
    All You Need</title><summary>Models &amp; more.</summary><author><name>A. Vaswani</name></author></entry></feed>`
  const [paper] = JSON.parse(
    run('research/arxiv-search/scripts/arxiv.py', ['--file', 'a.xml', '--json'], { 'a.xml': xml }),
  )
  assert.deepEqual(
    [paper.id, paper.title, paper.published],
    ['1706.03762v7', 'Attention Is All You Need', '2017-06-12'],
  )
})

test('feed.py reads RSS and Atom, and with a state only what is new', { skip }, () => {
  const item = (n: number) =>
    `<item><title>News ${n}</title><link>https://x.example/${n}</link><description>&lt;b&gt;T&lt;/b&gt; ${n}</description></item>`
  const rss = (n: number) =>
    `<rss><channel><title>F</title>${Array.from({ length: n }, (_, i) => item(i)).join('')}</channel></rss>`
  const state = JSON.stringify({ 'f.xml': ['https://x.example/0'] })
  const out = JSON.parse(
    run('research/feed-monitoring/scripts/feed.py', ['f.xml', '--state', 's.json', '--json'], {
      'f.xml': rss(2),
      's.json': state,
    }),
  )
  assert.deepEqual(
    out.map(({ title, summary }: Record<string, string>) => [title, summary]),
    [['News 1', 'T 1']],
  )
})

test('page_text.py gives the text of a page without menus, scripts and hidden parts', { skip }, () => {
  const html =
    '<title>T</title><nav>menu</nav><h2>Head</h2><p>One <a href="/x">link</a><script>no()</script><p hidden>secret</p><ul><li>a<li>b</ul>'
  const out = run('research/web-page-reading/scripts/page_text.py', ['p.html', '--links'], { 'p.html': html })
  assert.match(out, /Title: T\n\n## Head\n\nOne link \(\/x\)\n\n- a\n- b\n/)
  assert.doesNotMatch(out, /menu|secret|no\(\)/)
})

test('profile_csv.py finds what is odd in a table', { skip }, () => {
  const csv = 'id,name,n,d\n1,Ann,1,2025-01-02\n2,ann,x,03/04/2025\n2,ann,x,03/04/2025\n4\n'
  const found = JSON.parse(
    run('data/data-quality-report/scripts/profile_csv.py', ['t.csv', '--json'], { 't.csv': csv }),
  )
  assert.deepEqual([found.rows, found.duplicate_rows, found.ragged_lines], [4, 1, [5]])
  const problems = found.profile.flatMap(({ column, problems }: { column: string; problems: string[] }) =>
    problems.map((one) => `${column}: ${one}`),
  )
  for (const expected of [
    'name: same values in different case',
    'n: mixed kinds: 1 number',
    'd: dates with two readings',
  ]) {
    assert.ok(problems.includes(expected), `${expected} is not among ${problems.join('; ')}`)
  }
})

test('chart.py draws well-formed SVG with a mark for every value', { skip }, () => {
  const svg = run(
    'data/svg-charts/scripts/chart.py',
    ['t.csv', '--title', 'A & B', '--out', 'c.svg'],
    { 't.csv': 'm,x,y\na,1,2\nb,3,-4\n' },
    'c.svg',
  )
  assert.equal(svg.match(/<rect[^>]*><title>/g)?.length, 4)
  assert.ok(svg.includes('A &amp; B') && svg.trimEnd().endsWith('</svg>'))
})

test('xlsx_to_csv.py gives sheets with dates, texts and merged gaps', { skip }, () => {
  const sheet =
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>1.5</v></c></row><row r="3"><c r="A3" s="1"><v>45658</v></c></row></sheetData></worksheet>'
  const parts = {
    'xl/workbook.xml':
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="One" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="worksheets/s.xml"/></Relationships>',
    'xl/sharedStrings.xml':
      '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><r><t>Na</t></r><r><t>me</t></r></si></sst>',
    'xl/styles.xml':
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/worksheets/s.xml': sheet,
  }
  const pack =
    'import json,zipfile; z=zipfile.ZipFile("b.xlsx","w"); [z.writestr(k,v) for k,v in json.load(open("p.json")).items()]; z.close()'
  const dir = mkdtempSync(join(tmpdir(), 'hermes-xlsx-'))
  try {
    writeFileSync(join(dir, 'p.json'), JSON.stringify(parts))
    execFileSync('python3', ['-c', pack], { cwd: dir })
    const out = execFileSync(
      'python3',
      [join(root, 'data/spreadsheet-reading/scripts/xlsx_to_csv.py'), 'b.xlsx', '--sheet', 'One'],
      { cwd: dir, encoding: 'utf8' },
    )
    assert.equal(out, 'Name,,1.5\n,,\n2025-01-01,,\n')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

test('log_summary.py groups messages that differ in numbers only', { skip }, () => {
  const log =
    '2026-01-01T10:00:00Z ERROR pool 7 of 9\n2026-01-01T10:01:00Z ERROR pool 8 of 9\n{"level":50,"msg":"gone"}\n'
  const out = run('devops/log-analysis/scripts/log_summary.py', ['a.log', '--level', 'error'], { 'a.log': log })
  assert.match(out, /^3 lines; error 3\n/)
  assert.match(out, / 2 {2}ERROR pool <n> of <n>\n/)
})

test('ics.py knows repeated events over a change of the clocks, and finds free time', { skip }, () => {
  const ics =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART;TZID=Europe/Berlin:20260323T090000\nDTEND;TZID=Europe/Berlin:20260323T100000\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:Stand\n up\nEND:VEVENT\nEND:VCALENDAR\n'
  const script = 'productivity/calendar-files/scripts/ics.py'
  const berlin = ['--zone', 'Europe/Berlin']
  const listed = run(script, [...berlin, 'list', 'c.ics', '--from', '2026-03-20', '--days', '30'], { 'c.ics': ics })
  assert.equal(listed, 'Mon 2026-03-23  09:00-10:00  Standup\nMon 2026-03-30  09:00-10:00  Standup\n2 events\n')
  assert.equal(
    run(script, [...berlin, 'free', 'c.ics', '--from', '2026-03-30', '--days', '1'], { 'c.ics': ics }),
    'Mon 2026-03-30  10:00-17:00\n',
  )
  const made = run(
    script,
    [...berlin, 'create', 'A; b, c', '2026-07-01T14:30', '--minutes', '30', '--out', 'e.ics'],
    {},
    'e.ics',
  )
  assert.match(made, /DTSTART:20260701T123000Z\r\nDTEND:20260701T130000Z\r\nSUMMARY:A\\; b\\, c\r\n/)
})

test('slots.py converts over the weeks in which clocks differ', { skip }, () => {
  const out = run(
    'productivity/time-zone-meetings/scripts/slots.py',
    ['Europe/London', 'Sydney', '--at', '2026-03-30T09:00'],
    {},
  )
  assert.match(out, /Europe\/London +Mon 2026-03-30 09:00 \(UTC\+0100\)\nAustralia\/Sydney +Mon 2026-03-30 19:00/)
})

test('notes.py finds broken links and backlinks', { skip }, () => {
  const files = {
    'n/a.md': '# A\n[[B note]] [x](sub/c.md) [gone](no.md)\n',
    'n/B note.md': '# B note, long enough\n',
    'n/sub/c.md': '# C, which is long enough\n',
  }
  const script = 'productivity/markdown-notes/scripts/notes.py'
  assert.match(run(script, ['n', 'check'], files), /Broken links: 1\n {4}a\.md -> no\.md\n[^]*3 notes, 2 links/)
  assert.match(run(script, ['n', 'backlinks', 'c'], files), /^a\.md: A\n1 notes link to c\n/)
})

test('subtitles.py shifts, converts and cleans', { skip }, () => {
  const srt =
    '1\r\n00:00:01,000 --> 00:00:03,500\r\nHello\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n[music]\r\n\r\n3\r\n00:00:05,000 --> 00:00:06,000\r\nBye\r\n'
  const script = 'media/subtitles/scripts/subtitles.py'
  const vtt = run(script, ['a.srt', '--shift', '1.5', '--clean', '--out', 'b.vtt'], { 'a.srt': srt }, 'b.vtt')
  assert.equal(vtt, 'WEBVTT\n\n1\n00:00:02.500 --> 00:00:05.000\nHello\n\n2\n00:00:06.500 --> 00:00:07.500\nBye\n')
})

test(
  'health.sh reads the machine and tells its remarks by the exit code',
  { skip: process.platform !== 'linux' },
  () => {
    const { status, stdout } = spawnSync('bash', [join(root, 'devops/server-health-check/scripts/health.sh')], {
      encoding: 'utf8',
    })
    const remarks = Number(/(\d+) remarks\n$/.exec(stdout)?.[1])
    assert.equal(status, remarks === 0 ? 0 : 1)
    assert.equal(stdout.match(/^! /gm)?.length ?? 0, remarks)
  },
)
