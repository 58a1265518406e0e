import type { HideRule } from './rule.ts'

// Keys whose issuer gave them a shape of their own, by how they begin. `tail` is what follows; a tail with `needsDigit`
// counts only with a digit in it, since names of things can look the same.

const word = '[A-Za-z0-9]'
const wordish = '[A-Za-z0-9_-]'

interface Shape {
  readonly issuer: string
  readonly start: string
  readonly tail: string
}

const shapes: readonly Shape[] = [
  {
    issuer: 'OpenAI, Anthropic, OpenRouter, DeepSeek, Moonshot',
    start: 'sk-',
    tail: `(?=${wordish}{0,40}\\d)${wordish}{20,}`,
  },
  { issuer: 'Stripe', start: '[sr]k_(?:live|test)_', tail: `${word}{16,}` },
  { issuer: 'Stripe and Svix webhooks', start: 'whsec_', tail: '[A-Za-z0-9+/=]{24,}' },
  { issuer: 'ElevenLabs', start: 'sk_', tail: '[a-f0-9]{40,}' },
  { issuer: 'GitHub', start: 'gh[pousr]_', tail: `${word}{30,}` },
  { issuer: 'GitHub, fine-grained', start: 'github_pat_', tail: '\\w{22,}' },
  { issuer: 'GitLab', start: 'gl(?:pat|dt|rt|ptt|cbt|oas|soat|ft|imt|agent)-', tail: `${wordish}{20,}` },
  { issuer: 'Slack', start: 'xox[abeoprs][-.]', tail: `${wordish}{10,}` },
  { issuer: 'Slack, app level', start: 'xapp-', tail: `${wordish}{20,}` },
  { issuer: 'Google', start: 'AIza', tail: `${wordish}{35}` },
  { issuer: 'Google OAuth', start: 'ya29\\.', tail: `${wordish}{20,}` },
  { issuer: 'Google OAuth client', start: 'GOCSPX-', tail: `${wordish}{20,}` },
  { issuer: 'AWS', start: '(?:AKIA|ASIA|ABIA|ACCA)', tail: '[A-Z0-9]{16}(?![A-Z0-9])' },
  { issuer: 'Alibaba Cloud', start: 'LTAI', tail: `(?=${word}{0,20}\\d)${word}{16,26}(?!${word})` },
  { issuer: 'DigitalOcean', start: 'do[opr]_v1_', tail: '[a-f0-9]{40,}' },
  { issuer: 'Perplexity', start: 'pplx-', tail: `${word}{20,}` },
  { issuer: 'xAI', start: 'xai-', tail: `${word}{20,}` },
  { issuer: 'Groq', start: 'gsk_', tail: `${word}{20,}` },
  { issuer: 'Cerebras', start: 'csk-', tail: `${word}{20,}` },
  { issuer: 'NVIDIA', start: 'nvapi-', tail: `${wordish}{20,}` },
  { issuer: 'Hugging Face', start: 'hf_', tail: `${word}{20,}` },
  { issuer: 'Replicate', start: 'r8_', tail: `${word}{20,}` },
  { issuer: 'fal', start: 'fal_', tail: `(?=${wordish}{0,40}\\d)${wordish}{20,}` },
  { issuer: 'Fireworks', start: 'fw_', tail: `(?=${word}{0,30}\\d)${word}{20,}` },
  { issuer: 'RunPod', start: 'rpa_', tail: `${word}{30,}` },
  { issuer: 'Jina', start: 'jina_', tail: `(?=${wordish}{0,40}\\d)${wordish}{30,}` },
  { issuer: 'LangSmith', start: 'lsv2_(?:pt|sk)_', tail: '\\w{20,}' },
  { issuer: 'Tavily', start: 'tvly-', tail: `${wordish}{16,}` },
  { issuer: 'Exa', start: 'exa_', tail: `(?=${word}{0,30}\\d)${word}{20,}` },
  { issuer: 'Firecrawl', start: 'fc-', tail: '[a-f0-9]{24,}' },
  { issuer: 'Browserbase', start: 'bb_live_', tail: `${wordish}{16,}` },
  { issuer: 'Browser Use', start: 'bu_', tail: `(?=${wordish}{0,40}\\d)${wordish}{24,}` },
  { issuer: 'Apify', start: 'apify_api_', tail: `${word}{20,}` },
  { issuer: 'npm', start: 'npm_', tail: `${word}{36}` },
  { issuer: 'PyPI', start: 'pypi-', tail: `${wordish}{40,}` },
  { issuer: 'SendGrid', start: 'SG\\.', tail: `${wordish}{16,}\\.${wordish}{16,}` },
  { issuer: 'Mailgun', start: 'key-', tail: '[a-f0-9]{32}(?![a-f0-9])' },
  { issuer: 'Twilio', start: 'SK', tail: '[a-f0-9]{32}(?![a-f0-9])' },
  { issuer: 'Matrix', start: 'sy[tr]_', tail: '\\w{20,}' },
  { issuer: 'Shopify', start: 'shp(?:at|ss|ca|pa)_', tail: '[a-fA-F0-9]{32}' },
  { issuer: 'Square', start: 'sq0(?:atp|csp|idp)-', tail: `${wordish}{20,}` },
  { issuer: 'Linear', start: 'lin_(?:api|oauth)_', tail: `${word}{30,}` },
  { issuer: 'Notion', start: 'ntn_', tail: `${word}{30,}` },
  { issuer: 'Notion, older', start: 'secret_', tail: `${word}{40,}` },
  { issuer: 'Figma', start: 'figd_', tail: `${wordish}{30,}` },
  { issuer: 'Postman', start: 'PMAK-', tail: '[a-f0-9]{24}-[a-f0-9]{34}' },
  { issuer: 'Databricks', start: 'dapi', tail: '[a-f0-9]{32}(?![a-f0-9])' },
  { issuer: 'Docker Hub', start: 'dckr_(?:pat|oat)_', tail: `${wordish}{20,}` },
  { issuer: 'HashiCorp Vault', start: 'hv[sbr]\\.', tail: `${wordish}{20,}` },
  { issuer: 'Tailscale', start: 'tskey-', tail: `${wordish}{16,}` },
  { issuer: 'Sentry', start: 'sntr[ysu]s?_', tail: '[A-Za-z0-9+/=_-]{30,}' },
  { issuer: 'Grafana', start: 'gl(?:sa|c)_', tail: '[A-Za-z0-9+/=_]{30,}' },
  { issuer: 'Atlassian', start: 'AT[AC]TT3', tail: '[A-Za-z0-9_=-]{20,}' },
  { issuer: 'Doppler', start: 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', tail: `${word}{30,}` },
  { issuer: 'Supabase', start: 'sbp_', tail: '[a-f0-9]{40}' },
  { issuer: 'Pulumi', start: 'pul-', tail: '[a-f0-9]{40}' },
  { issuer: 'Fly.io', start: 'f[mo]\\d_', tail: '[A-Za-z0-9+/=_]{30,}' },
  { issuer: 'age', start: 'AGE-SECRET-KEY-1', tail: '[A-Z0-9]{50,}' },
  { issuer: 'Fernet', start: 'gAAAA', tail: '[A-Za-z0-9_=-]{60,}' },
  { issuer: 'AgentMail', start: 'am_', tail: `(?=${word}{0,30}\\d)${word}{24,}` },
  { issuer: 'RetainDB', start: 'retaindb_', tail: `${wordish}{16,}` },
  { issuer: 'Hindsight', start: 'hsk-', tail: `${wordish}{16,}` },
  { issuer: 'Mem0', start: 'mem0_', tail: `(?=${wordish}{0,40}\\d)${wordish}{16,}` },
  { issuer: 'ByteRover', start: 'brv_', tail: `${wordish}{16,}` },
  { issuer: 'JSON Web Token', start: 'eyJ', tail: `${wordish}{10,}\\.eyJ${wordish}{10,}(?:\\.${wordish}{10,})?` },
  { issuer: 'Telegram', start: '\\d{8,10}:', tail: `${wordish}{35}(?!${wordish})` },
  { issuer: 'Discord', start: '[MNO]', tail: `${wordish}{23,27}\\.${wordish}{6}\\.${wordish}{27,}` },
]

const pattern = new RegExp(`(?<![A-Za-z0-9_-])(?:${shapes.map(({ start, tail }) => start + tail).join('|')})`, 'g')

/** Keys that are recognised by their shape alone, wherever they stand. */
export const hideIssuedKeys: HideRule = (text, hide) => text.replace(pattern, hide)
