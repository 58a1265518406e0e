import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { createRedactor } from './redact.ts'

const redactor = createRedactor({ enabled: true })
const placeholder = /«secret:[0-9a-f]{6}»/

/** Random-looking characters that are the same in every run. */
function chars(count: number, alphabet = 'aB3dE5gH7jK9mN2pQ4sT6vW8xZ1'): string {
  return Array.from({ length: count }, (_, index) => alphabet[(index * 7 + (index >> 2) * 3) % alphabet.length]).join(
    '',
  )
}
const hex = (count: number) => chars(count, '0123456789abcdef')

// Put together at run time, so that the file itself holds nothing that looks like a key.
const issued: readonly [issuer: string, key: string][] = [
  ['OpenAI', `sk-${chars(48)}`],
  ['OpenAI project', `sk-proj-${chars(60)}`],
  ['Anthropic', `sk-ant-api03-${chars(80)}`],
  ['OpenRouter', `sk-or-v1-${hex(64)}`],
  ['Stripe live', `sk_live_${chars(24)}`],
  ['Stripe restricted', `rk_test_${chars(24)}`],
  ['Stripe webhook', `whsec_${chars(32)}`],
  ['ElevenLabs', `sk_${hex(48)}`],
  ['GitHub', `ghp_${chars(36)}`],
  ['GitHub app', `ghs_${chars(36)}`],
  ['GitHub fine-grained', `github_pat_${chars(22)}_${chars(59)}`],
  ['GitLab', `glpat-${chars(20)}`],
  ['Slack bot', `xoxb-${'1'.repeat(12)}-${chars(24)}`],
  ['Slack app', `xapp-1-A${chars(30)}`],
  ['Google', `AIza${chars(35)}`],
  ['Google OAuth', `ya29.${chars(60)}`],
  ['Google client', `GOCSPX-${chars(28)}`],
  ['AWS', `AKIA${chars(16, 'ABCDEFGH234567')}`],
  ['Alibaba', `LTAI${chars(20)}`],
  ['DigitalOcean', `dop_v1_${hex(64)}`],
  ['Perplexity', `pplx-${chars(48)}`],
  ['xAI', `xai-${chars(80)}`],
  ['Groq', `gsk_${chars(52)}`],
  ['Cerebras', `csk-${chars(48)}`],
  ['NVIDIA', `nvapi-${chars(64)}`],
  ['Hugging Face', `hf_${chars(34)}`],
  ['Replicate', `r8_${chars(37)}`],
  ['fal', `fal_${chars(32)}`],
  ['Fireworks', `fw_${chars(24)}`],
  ['RunPod', `rpa_${chars(40)}`],
  ['Jina', `jina_${chars(60)}`],
  ['LangSmith', `lsv2_pt_${hex(32)}_${hex(10)}`],
  ['Tavily', `tvly-dev-${chars(32)}`],
  ['Exa', `exa_${chars(32)}`],
  ['Firecrawl', `fc-${hex(32)}`],
  ['Browserbase', `bb_live_${chars(27)}`],
  ['Browser Use', `bu_${chars(43)}`],
  ['Apify', `apify_api_${chars(36)}`],
  ['npm', `npm_${chars(36)}`],
  ['PyPI', `pypi-AgEIcHlwaS5vcmc${chars(60)}`],
  ['SendGrid', `SG.${chars(22)}.${chars(43)}`],
  ['Mailgun', `key-${hex(32)}`],
  ['Twilio', `SK${hex(32)}`],
  ['Matrix', `syt_${chars(40)}`],
  ['Shopify', `shpat_${hex(32)}`],
  ['Square', `sq0atp-${chars(22)}`],
  ['Linear', `lin_api_${chars(40)}`],
  ['Notion', `ntn_${chars(46)}`],
  ['Figma', `figd_${chars(40)}`],
  ['Postman', `PMAK-${hex(24)}-${hex(34)}`],
  ['Databricks', `dapi${hex(32)}`],
  ['Docker Hub', `dckr_pat_${chars(27)}`],
  ['Vault', `hvs.${chars(90)}`],
  ['Tailscale', `tskey-auth-${chars(20)}`],
  ['Sentry', `sntrys_${chars(60)}`],
  ['Grafana', `glsa_${chars(32)}_${hex(8)}`],
  ['Atlassian', `ATATT3${chars(60)}`],
  ['Doppler', `dp.pt.${chars(43)}`],
  ['Supabase', `sbp_${hex(40)}`],
  ['Pulumi', `pul-${hex(40)}`],
  ['Fly.io', `fm2_${chars(60)}`],
  ['age', `AGE-SECRET-KEY-1${chars(58, 'QPZRY9X8GF2TVDW0')}`],
  ['Fernet', `gAAAA${chars(80)}`],
  ['AgentMail', `am_${chars(40)}`],
  ['RetainDB', `retaindb_${chars(24)}`],
  ['Hindsight', `hsk-${chars(24)}`],
  ['Mem0', `mem0_${chars(24)}`],
  ['ByteRover', `brv_${chars(24)}`],
  ['JSON Web Token', `eyJ${chars(30)}.eyJ${chars(60)}.${chars(43)}`],
  ['Telegram', `1234567890:AA${chars(33)}`],
  ['Discord', `M${chars(25)}.${chars(6)}.${chars(38)}`],
]

test('keys of many issuers are known by their shape, in any surrounding', () => {
  for (const [issuer, key] of issued) {
    for (const text of [
      key,
      `the key is ${key}.`,
      `"${key}"`,
      `x=${key}&y`,
      `[${key}]`,
      `\n${key}\n`,
      `\`${key}\``,
      `(${key},`,
    ]) {
      const redacted = redactor.redact(text)
      assert.ok(!redacted.includes(key.slice(-8)), `${issuer}: ${redacted}`)
      assert.match(redacted, placeholder)
    }
  }
})

const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${chars(64)}\n`.repeat(4)}${chars(20)}==\n-----END RSA PRIVATE KEY-----`

/** Text, and what must be gone from it. */
const hidden: readonly [what: string, text: string, secret: string][] = [
  ['bearer header', `Authorization: Bearer ${chars(30)}`, chars(30)],
  ['basic header', 'authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['header in JSON', `{"Authorization": "Bearer abcdef", "Accept": "x"}`, 'abcdef'],
  ['header in curl', `curl -H 'X-Api-Key: abc123def' https://example.com`, 'abc123def'],
  ['header in escaped JSON', `"{\\"authorization\\":\\"Bearer ${chars(20)}\\"}"`, chars(20)],
  ['bearer alone', `sent "Bearer ${chars(40)}" twice`, chars(40)],
  ['cookie', 'Cookie: session=s3cr3tv4lue; theme=dark', 's3cr3tv4lue'],
  ['set-cookie', 'set-cookie: sid=s%3Aabc.def; Path=/', 's%3Aabc.def'],
  [
    'digest',
    'Authorization: Digest username="x", response=6629fae49393a05397450978507c4ef1',
    '6629fae49393a05397450978507c4ef1',
  ],
  ['curl -u', 'curl -sS -u ann:hunter2 https://example.com', 'hunter2'],
  ['netrc', 'machine example.com login ann password hunter2', 'hunter2'],
  ['postgres URL', 'postgres://ann:hunter2@db:5432/app', 'hunter2'],
  ['redis URL without user', 'redis://:hunter2@localhost:6379', 'hunter2'],
  ['mongodb URL', 'mongodb+srv://ann:p%40ss@cluster0.example.net/?w=1', 'p%40ss'],
  ['password with @', 'amqp://u:pa@ss@host/', 'pa@ss'],
  ['query', 'GET https://example.com/x?api_key=abc123def456&y=1', 'abc123def456'],
  ['signed URL', 'https://s3.example.com/x?X-Amz-Signature=0123456789abcdef0123', '0123456789abcdef0123'],
  ['Slack webhook', `https://hooks.slack.com/services/T000/B000/${chars(24)}`, chars(24)],
  ['Discord webhook', `https://discord.com/api/webhooks/123/${chars(60)}`, chars(60)],
  ['connection string', `Endpoint=sb://x/;SharedAccessKey=${chars(43)}=;Entity=y`, chars(43)],
  ['ADO password', 'Server=db;User=sa;Password=Hunter2Hunter;', 'Hunter2Hunter'],
  ['private key', pem, chars(64)],
  ['private key in JSON', JSON.stringify({ private_key: pem }), chars(64)],
  ['private key, cut off', pem.slice(0, 150), chars(64)],
  [
    'encrypted key',
    pem.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n'),
    chars(64),
  ],
  ['env', 'export DB_PASSWORD=hunter2', 'hunter2'],
  ['env, quoted', `MY_SECRET="it's-me"`, "it's"],
  ['env in a command', 'API_KEY=abcd node x.js', 'abcd'],
  ['env, numbered', 'OPENAI_API_KEY_2=abcdefgh', 'abcdefgh'],
  ['env, token', `HASS_TOKEN=${chars(24)}`, chars(24)],
  ['JSON', '{"password": "correct horse battery"}', 'correct horse battery'],
  ['JSON, escaped value', '{"client_secret":"ab\\"cd-ef"}', 'cd-ef'],
  ['JSON in JSON', '"{\\"apiKey\\": \\"hunter2\\"}"', 'hunter2'],
  ['JSON, camel case', `{"accessToken":"${chars(10)}"}`, chars(10)],
  ['JSON token', `{"token":"550e8400e29b41d4a716446655440000"}`, '550e8400e29b41d4a716446655440000'],
  ['YAML', 'db:\n  password: hunter2\n', 'hunter2'],
  ['YAML, quoted', "  api_key: 'hunter two'  # mine", 'hunter two'],
  ['INI', 'password = hunter2\n', 'hunter2'],
  ['npmrc', `//registry.npmjs.org/:_authToken=${chars(36)}`, chars(36)],
  ['docker config', `"auths":{"x":{"auth":"${chars(32)}"}}`, chars(32)],
  ['AWS secret', `aws_secret_access_key = ${chars(40)}`, chars(40)],
  ['flag', `tool --api-key ${chars(20)} run`, chars(20)],
  ['flag with =', `tool --token=${chars(20)} run`, chars(20)],
  ['code', `const client = new Client({ apiKey: '${chars(24)}' })`, chars(24)],
  ['code, password', `login(user, password="Xy7$k(9Lm2Q!x")`, 'Xy7$k(9Lm2Q!x'],
]

for (const [what, text, secret] of hidden) {
  test(`hides the secret of: ${what}`, () => {
    const redacted = redactor.redact(text)
    assert.ok(!redacted.includes(secret), redacted)
    assert.match(redacted, placeholder)
  })
}

const ordinary: readonly string[] = [
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'id: 550e8400-e29b-41d4-a716-446655440000',
  '"integrity": "sha512-C/hKVZ8f4bVx3NzJd1rVb7uVqkGdS0wVtY9m1rW9XkKfJx3yT8L5v0aQ2n7c6b4d=="',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'const token = await getToken(request)',
  'password: string',
  '  password: z.string().min(8),',
  'apiKey: process.env.OPENAI_API_KEY,',
  'api_key: ${OPENROUTER_API_KEY}',
  'export TOKEN=$(cat /run/secrets/token)',
  'PASSWORD="$DB_PASSWORD"',
  'key_env: OPENAI_API_KEY',
  'max_tokens: 4096',
  'MAX_TOKENS=128000',
  'tokenizer = AutoTokenizer.from_pretrained("gpt2")',
  'SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.123',
  'KEYBOARD=de-latin1',
  'PWD=/home/ann/project',
  'cache_key: user_profile_v2',
  'primary key: id',
  'if (key === "Enter") submit()',
  'map.set(key, value); const key = `${a}:${b}`',
  'Authorization: Bearer <token>',
  'Authorization: Bearer ${token}',
  'headers: { Authorization: `Bearer ${token}` }',
  'The Authorization header is described in RFC 7235.',
  'Bearer authentication is needed',
  'docker run -u node:node image',
  'https://example.com:8443/path?page=2&key=name',
  'git@github.com:owner/repository.git',
  'class="sk-circle-fade-dot-container-animation"',
  'hf_hub_download(repo_id="x")',
  'npm_config_registry=https://registry.npmjs.org/',
  'A private key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----, as told.',
  "expect(login({ password: 'wrong-password' })).toBe(false)",
  "const apiKey = 'test-key-123'",
  '2026-11-29T14:35:11.216690+00:00',
  'https://user@example.com/',
  'the secret: it is simple',
  'error: secret "my-tls" not found',
  'kubectl get secret my-app-tls -o yaml',
  'signature = inspect.signature(function)',
  '数据库密码在哪里？',
  '/usr/lib/x86_64-linux-gnu/libcrypto.so.3',
]

test('ordinary text, code and hashes pass untouched', () => {
  for (const text of ordinary) assert.equal(redactor.redact(text), text)
})

test('the same value gets the same placeholder, another value another', () => {
  const [a, b] = [`ghp_${chars(36)}`, `ghp_${chars(36).toLowerCase()}`]
  const [first, second, third] = redactor
    .redact(`${a} ${b}`)
    .split(' ')
    .concat(redactor.redact(`TOKEN=${a}`).slice(6))
  assert.equal(first, third)
  assert.notEqual(first, second)
})

test('a digest tells nothing outside of its redactor', () => {
  const key = `ghp_${chars(36)}`
  assert.notEqual(createRedactor({ enabled: true }).redact(key), createRedactor({ enabled: true }).redact(key))
})

test('known values are hidden under their names wherever they stand, also encoded', () => {
  const value = 'correct horse/battery "staple"'
  const own = createRedactor({ enabled: true, known: [{ name: 'DB_PASSWORD', value }, 'another-known-value', 'short'] })
  const forms = [value, encodeURIComponent(value), JSON.stringify(value), Buffer.from(`${value}\n`).toString('base64')]
  for (const form of forms) assert.match(own.redact(`<${form}>`), /^<"?«secret:DB_PASSWORD»/)
  assert.match(own.redact('x=another-known-value'), /«secret:[0-9a-f]{6}»/)
  assert.equal(own.redact('short'), 'short')
  own.addKnown([{ name: 'LATER', value: 'added-later' }])
  assert.equal(own.redact('added-later'), '«secret:LATER»')
})

test('a known value that holds another one is hidden whole', () => {
  const own = createRedactor({
    enabled: true,
    known: [
      { name: 'A', value: 'abcdefgh' },
      { name: 'B', value: 'abcdefgh-ijkl' },
    ],
  })
  assert.equal(own.redact('abcdefgh-ijkl abcdefgh'), '«secret:B» «secret:A»')
})

test('a redactor that is off changes nothing', () => {
  const key = `PASSWORD=${chars(20)}`
  assert.equal(createRedactor({ enabled: false, known: [chars(20)] }).redact(key), key)
})

const piece = fc.oneof(
  fc.constantFrom(...hidden.map(([, text]) => text), ...issued.map(([, key]) => key), ...ordinary),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(' ', '\n', '"', ': ', '=', '«secret:ab12cd»', '«', '»'),
)

test('redacting twice is redacting once', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom('', ' ', '\n'), (pieces, glue) => {
      const once = redactor.redact(pieces.join(glue))
      assert.equal(redactor.redact(once), once)
    }),
    { numRuns: 500 },
  )
})

test('text made to be slow is read in time', () => {
  const count = 100_000
  const bad = [
    'sk-',
    'ghp_',
    'eyJ',
    'a',
    '"',
    '":"',
    'key',
    'key=',
    'key: ',
    'password ',
    'api_key_',
    'API_KEY_',
    '--token ',
    '://',
    '://a:',
    ':',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN ',
    'Authorization: ',
    'Cookie: a=',
    'bearer ',
    'curl -u ',
    'curl -u a:',
    'API_KEY="',
    'password = "',
    'login a ',
    '\\"',
    '_',
    '?key=',
    '1234567890:',
    '\n  - key',
    'M',
    '\t',
    "'",
    'token"',
  ]
  for (const part of bad) {
    const text = part.repeat(Math.ceil(count / part.length))
    const started = processorMs()
    redactor.redact(text)
    redactor.redact(`${text}!`)
    const took = processorMs() - started
    assert.ok(took < 4000, `${JSON.stringify(part)} took ${took.toFixed(0)} ms`)
  }
})
