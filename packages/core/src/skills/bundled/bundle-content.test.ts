import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import { parseFrontmatter } from '../frontmatter.ts'
import { describeFindings } from '../guard/finding.ts'
import { readFolder } from '../guard/read-folder.ts'
import { scanFiles } from '../guard/scan-files.ts'
import { skillMetadata } from '../metadata.ts'
import { isSkillName } from '../skill-name.ts'
import { maxDescriptionChars } from '../skill-limits.ts'
import { scanSkillText } from '../skill-text-scan.ts'
import { filesIn } from '../store/folder-hash.ts'
import { bundledSkillsFolder } from './bundled-folder.ts'
import { readBundle } from './bundle.ts'

const root = bundledSkillsFolder({}) ?? ''
const bundle = await readBundle(root)
const documents = await Promise.all(
  bundle.skills.map(async (skill) => {
    const text = readFileSync(join(skill.folder, 'SKILL.md'), 'utf8')
    const { fields, body, form } = await parseFrontmatter(text)
    return {
      ...skill,
      text,
      body,
      form,
      fields,
      metadata: skillMetadata(fields, ''),
      files: await filesIn(skill.folder),
    }
  }),
)

/** The tools that every agent has; a skill that speaks of others must be tied to them in its frontmatter. */
const everywhere = new Set([
  'terminal',
  'process',
  'read_file',
  'write_file',
  'patch',
  'search_files',
  'todo',
  'memory',
  'session_search',
  'clarify',
  'skill_view',
  'skills_list',
  'skill_manage',
])
const others =
  /`(web_\w+|browser_\w+|vision_analyze|image_generate|text_to_speech|ha_\w+|execute_code|delegate_task|cronjob|send_message|mixture_of_agents)(?:\(|`)/g

interface Block {
  readonly where: string
  readonly language: string
  readonly code: string
}

const blocks: Block[] = documents.flatMap(({ place, body }) => {
  return [...body.matchAll(/^(`{3,})(\w*)\n([^]*?)^\1$/gm)].map((match, index) => ({
    where: `${place} block ${index + 1}`,
    language: match[2] ?? '',
    code: match[3] ?? '',
  }))
})

test('there are forty skills or more, in described categories', () => {
  assert.ok(documents.length >= 40, `there are ${documents.length}`)
  assert.equal(new Set(documents.map(({ name }) => name)).size, documents.length, 'names are unique')
  const described = new Set(bundle.descriptions.map(({ place }) => place))
  for (const { place } of documents) {
    const [category = '', ...rest] = place.split('/')
    assert.equal(rest.length, 1, `${place} is in one category`)
    assert.ok(isSkillName(category) && described.has(category), `${category} has no DESCRIPTION.md`)
  }
})

test('every skill has correct frontmatter and a fitting length', () => {
  for (const { place, name, form, fields, metadata, body, text } of documents) {
    assert.equal(form, 'yaml', place)
    assert.ok(isSkillName(name) && metadata.name === name, `${place}: the name is its folder's`)
    assert.ok(
      metadata.description.length >= 40 && metadata.description.length <= Math.min(220, maxDescriptionChars),
      `${place}: description`,
    )
    assert.equal(fields['version'], '1.0.0', place)
    assert.equal(metadata.license, 'MIT', place)
    assert.ok(metadata.tags.length >= 2, `${place}: tags`)
    const lines = text.trimEnd().split('\n').length
    assert.ok(lines >= 40 && lines <= 120, `${place} has ${lines} lines`)
    assert.match(body, /^\n# \S/, `${place} begins with a heading`)
    const known = new Set(documents.map((one) => one.name))
    for (const other of metadata.relatedSkills)
      assert.ok(known.has(other) && other !== name, `${place}: related skill ${other}`)
  }
})

test('the guard finds nothing in any of them', async () => {
  for (const { place, folder, text } of documents) {
    const report = scanFiles(await readFolder(folder))
    assert.equal(report.verdict, 'safe', `${place}\n${describeFindings(report.findings)}`)
    assert.deepEqual(await scanSkillText(text), [], place)
  }
})

test('files that are named are there, and files that are there are named', () => {
  for (const { place, body, files } of documents) {
    const named = new Set(
      [...body.matchAll(/\b((?:scripts|references|templates|assets)\/[\w./-]*\w)/g)].map((match) => match[1] ?? ''),
    )
    const own = files.filter((path) => path !== 'SKILL.md')
    for (const path of own) assert.ok(named.has(path), `${place} has ${path} and does not name it`)
    if (own.length > 0)
      for (const path of named) assert.ok(own.includes(path) || path.includes('name'), `${place} names ${path}`)
  }
})

test('skills speak of tools that their agent has', () => {
  for (const { place, body, metadata } of documents) {
    const { requiresTools, requiresToolsets, fallbackForTools, fallbackForToolsets } = metadata.conditions
    const tied = [...requiresTools, ...requiresToolsets, ...fallbackForTools, ...fallbackForToolsets]
    for (const [, name = ''] of body.matchAll(others)) {
      assert.ok(everywhere.has(name) || tied.length > 0, `${place} speaks of ${name}`)
    }
  }
})

test('every code block is of a known language and parses', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hermes-blocks-'))
  try {
    const unknown = blocks.filter(
      ({ language }) =>
        ![
          'bash',
          'python',
          'javascript',
          'json',
          'yaml',
          'sql',
          'markdown',
          'text',
          'dockerfile',
          'ics',
          'jq',
        ].includes(language),
    )
    assert.deepEqual(
      unknown.map(({ where, language }) => `${where}: ${language}`),
      [],
    )
    const written = (language: string) =>
      blocks.flatMap((block, index) => {
        if (block.language !== language) return []
        const path = join(dir, `${index}-${block.where.replaceAll(/\W/g, '_')}.mjs`)
        writeFileSync(path, block.code)
        return [path]
      })
    const scripts = (ending: string) =>
      documents.flatMap(({ folder, files }) =>
        files.filter((file) => file.endsWith(ending)).map((file) => join(folder, file)),
      )
    const shell = spawnSync(
      'bash',
      ['-c', 'for f; do bash -n "$f" || echo "in $f"; done', 'bash', ...written('bash'), ...scripts('.sh')],
      { encoding: 'utf8' },
    )
    assert.equal(shell.stdout + shell.stderr, '')
    const python = spawnSync(
      'python3',
      [
        '-c',
        'import ast, sys\nfor f in sys.argv[1:]:\n    try: ast.parse(open(f, encoding="utf8").read())\n    except SyntaxError as e: print(f, e)',
        ...written('python'),
        ...scripts('.py'),
      ],
      { encoding: 'utf8' },
    )
    if (!python.error) assert.equal(python.stdout + python.stderr, '')
    for (const path of written('javascript')) {
      const checked = spawnSync(process.execPath, ['--check', path], {
        encoding: 'utf8',
      })
      assert.equal(checked.status, 0, checked.stderr)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  for (const { where, language, code } of blocks) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(code), where)
    if (language === 'yaml') assert.doesNotThrow(() => parseYaml(code), where)
  }
})

test('scripts tell how they are called', () => {
  for (const { place, folder, files } of documents) {
    for (const file of files.filter((path) => path.endsWith('.py'))) {
      const result = spawnSync('python3', [join(folder, file), '--help'], { encoding: 'utf8' })
      if (result.error) continue
      assert.equal(result.status, 0, `${place} ${file}: ${result.stderr}`)
      assert.match(result.stdout, new RegExp(`usage: ${basename(file).replace('.', '\\.')}`), `${place} ${file}`)
    }
  }
})
