import { choice, flag, section, text, textList, whole } from '../values.ts'

/** Consent, secrets and what may be reached. */
export const securitySettings = {
  approvals: section({
    mode: choice(['manual', 'smart', 'off'], 'manual', { on: 'manual' }).describe(
      'Who consents to dangerous commands: manual asks you, smart asks a model first, off asks nobody.',
    ),
    timeout: whole(60, { min: 0 }).describe('Seconds that a question for consent waits; then it is denied.'),
    gateway_timeout: whole(300, { min: 0 }).describe('The same in chats.'),
    trust_containers: flag(false).describe('Ask nobody about what runs in a container.'),
  }).describe('Consent to dangerous commands.'),
  command_allowlist: textList().describe('Kinds of dangerous commands that are always allowed.'),
  security: section({
    redact_secrets: flag(true).describe('Hide keys, tokens and passwords in what is shown, logged or sent.'),
    tirith_enabled: flag(true).describe('Scan commands with tirith, where it is installed.'),
    tirith_path: text('tirith').describe('The tirith program.'),
    tirith_timeout: whole(5, { min: 1 }).describe('Seconds that a scan gets.'),
    tirith_fail_open: flag(true).describe('Go on when the scan itself fails.'),
    allow_private_urls: flag(false).describe(
      'Let pages be fetched from this machine and its network. Metadata services of clouds stay refused.',
    ),
    allowed_private_hosts: textList().describe(
      'The same for some hosts: nas.local, localhost:3000, 10.0.0.0/8. One with a port allows that port, whatever it is.',
    ),
    website_blocklist: section({
      enabled: flag(false).describe('Refuse the domains below.'),
      domains: textList().describe('Domains, with their subdomains; *.x means only subdomains.'),
      shared_files: textList().describe('Files with more domains, one a line.'),
    }).describe('Websites that are refused.'),
  }).describe('Secrets, scans and websites.'),
  privacy: section({
    redact_pii: flag(false).describe(
      'Hide the ids of people and chats (Telegram, WhatsApp, Signal, iMessage) from the model.',
    ),
  }).describe('Privacy in chats.'),
}
